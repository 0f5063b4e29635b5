-- Playlists, manifests and the index of the storyboard, as the service writes them.

local kept = require "hv_edge_kept"

local MAX_BYTES = 64 * 1024 * 1024
-- That of twelve hours, the longest video, has some 550 kB.
local MAX_TEXT_BYTES = 1024 * 1024
local COPIED = { "content-type", "content-encoding", "accept-ranges" }

local _M = {}
local texts = kept.new(MAX_BYTES)

local function text_of(answer)
    if answer.status ~= 200 or answer.truncated then
        return nil
    end
    local given, names, values = {}, {}, {}
    for name, value in pairs(answer.header) do
        given[name:lower()] = value
    end
    if given["x-hv-mark"] then
        -- What the service answers an edge varies with more.
        given.vary = "Accept-Encoding"
    end
    for _, name in ipairs(COPIED) do
        if given[name] then
            names[#names + 1], values[#values + 1] = name, given[name]
        end
    end
    return {
        body = answer.body, names = names, values = values, mark = given["x-hv-mark"],
        vary = given.vary, etag = given["etag"], cache = given["cache-control"], bytes = #answer.body,
        is_long = #answer.body > MAX_TEXT_BYTES,
    }
end

local function fetch_open(_, path, encoding)
    return text_of(ngx.location.capture("/.hv/text" .. path, {
        vars = { hv_encoding = encoding },
    }))
end

-- A text in which no token stands; nil if the service must be asked itself.
function _M.open(path, encoding)
    local key = path .. "\n" .. encoding
    return texts:fresh(key) or texts:get(key, fetch_open, path, encoding)
end

-- Every other part is the mark, in the place of a token.
local function split(body, mark)
    local parts, from = {}, 1
    while true do
        local first, last = body:find(mark, from, true)
        if not first then
            parts[#parts + 1] = body:sub(from)
            return parts
        end
        parts[#parts + 1] = body:sub(from, first - 1)
        parts[#parts + 1] = mark
        from = last + 1
    end
end

local function fetch_prepared(_, key, secret)
    local text = text_of(ngx.location.capture("/.hv/prepared/" .. key, {
        vars = { hv_secret = secret },
    }))
    if not text or not text.mark then
        return nil
    end
    local parts = split(text.body, text.mark)
    text.parts, text.body = parts, nil
    text.bytes_without = text.bytes - (#parts - 1) / 2 * #text.mark
    -- To be followed by what differs with the token.
    text.tag = text.etag:sub(1, -2) .. "-"
    return text
end

-- A text of a scope, to put a token into; nil likewise. One for all tokens.
function _M.prepared(scope, file, secret)
    local key = scope .. "/" .. file
    return texts:fresh(key) or texts:get(key, fetch_prepared, key, secret)
end

-- A text with a token in all of its addresses: its parts, length and entity tag.
-- The parts are the text's own, to be sent at once: nothing of a text becomes a
-- string, and so garbage, with each request.
function _M.filled(text, claims)
    local parts, token = text.parts, claims.token
    for at = 2, #parts, 2 do
        parts[at] = token
    end
    return parts, text.bytes_without + (#parts - 1) / 2 * #token,
        text.tag .. claims.tag .. '"'
end

return _M
