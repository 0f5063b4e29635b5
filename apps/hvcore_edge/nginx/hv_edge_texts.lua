-- Playlists, manifests and the index of the storyboard, as the service writes them.

local cache = require "hv_edge_cache"
local settings = require "hv_edge_settings"

local MAX_BYTES = 64 * 1024 * 1024
-- That of twelve hours, the longest video, has some 550 kB.
local MAX_TEXT_BYTES = 1024 * 1024
-- Of a text that is filled; of a longer one, what is made of it at a time, and how
-- often before others have their turn.
local MAX_AT_ONCE_BYTES = 256 * 1024
local PIECE_BYTES, PIECES_PER_TURN = 32 * 1024, 8
local MAX_SHARED_TOKEN_BYTES = settings.max_shared_token_bytes
-- The service waits 4 s for a silent store. Who waits for the answer to another request
-- hears it then, and does not begin a wait of its own.
local PATIENCE_S = 5
local COPIED = { "content-type", "content-encoding", "accept-ranges" }

local _M = {}
local texts = cache.new(MAX_BYTES, nil, PATIENCE_S)

-- A text; nil without one, and then whether the service waited in vain.
local function text_of(answer)
    if answer.status ~= 200 or answer.truncated then
        return nil, answer.status == 503 or answer.status == 504
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

-- A text in which no token stands; nil if the service must be asked itself, and true
-- after it if the service has waited in vain a moment ago.
function _M.open(path, encoding)
    local key = path .. "\n" .. encoding
    local text = texts:fresh(key)
    if text then
        return text
    end
    -- By itself: "or" would drop the second value.
    return texts:get(key, fetch_open, path, encoding)
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
    local text, is_silent = text_of(ngx.location.capture("/.hv/prepared/" .. key, {
        vars = { hv_secret = secret },
    }))
    if not text or not text.mark then
        return nil, is_silent
    end
    local parts = split(text.body, text.mark)
    text.parts, text.body = parts, nil
    text.bytes_without = text.bytes - (#parts - 1) / 2 * #text.mark
    -- To be followed by what differs with the token.
    text.tag = text.etag:sub(1, -2) .. "-"
    return text
end

-- A text of a scope, to put a token into; nil and true likewise. One for all tokens.
function _M.prepared(scope, file, secret)
    local key = scope .. "/" .. file
    local text = texts:fresh(key)
    if text then
        return text
    end
    return texts:get(key, fetch_prepared, key, secret)
end

-- What a text becomes with a token in all of its addresses: length and entity tag.
function _M.measured(text, claims)
    return text.bytes_without + (#text.parts - 1) / 2 * #claims.token,
        text.tag .. claims.tag .. '"'
end

-- Whether the service has such a text compressed, where it would be done here for each.
function _M.is_better_elsewhere(bytes, token)
    local encodings = bytes > MAX_AT_ONCE_BYTES and #token <= MAX_SHARED_TOKEN_BYTES
        and ngx.var.http_accept_encoding
    -- With qualities the service may send it as it is, and nginx would keep it on a disk.
    return encodings and encodings:find("gzip", 1, true)
        and not encodings:find(";", 1, true)
end

-- The parts are the text's own, to be sent at once: nothing of a text becomes a
-- string, and so garbage, with each request.
local function send_at_once(parts, token)
    for at = 2, #parts, 2 do
        parts[at] = token
    end
    return ngx.print(parts)
end

-- Of who takes nothing, a piece waits here, and not megabytes. Those of others are
-- served after each few pieces even if the kernel takes them all.
local function send_pieces(parts, token, bytes)
    local step = 2 * math.max(1, math.floor(PIECE_BYTES * #parts / 2 / bytes))
    local sent = 0
    for from = 1, #parts, step do
        local piece, to = {}, math.min(from + step - 1, #parts)
        for at = from, to do
            piece[at - from + 1] = at % 2 == 0 and token or parts[at]
        end
        if not ngx.print(piece) or not ngx.flush(true) then
            return nil
        end
        sent = sent + 1
        if sent % PIECES_PER_TURN == 0 then
            ngx.sleep(0)
        end
    end
    return true
end

-- Sends a text with a token in all of its addresses; nil if the client has left.
function _M.send(text, claims, bytes)
    if bytes <= MAX_AT_ONCE_BYTES then
        return send_at_once(text.parts, claims.token)
    end
    return send_pieces(text.parts, claims.token, bytes)
end

return _M
