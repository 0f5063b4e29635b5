-- What a count says of the viewer beside the segment: who it is, by a
-- mark that tells nothing (as in hvcore/services/counting/sessions.py), and, where
-- the settings ask for it, where it is (as in hvcore/services/counting/segment_details.py).
-- Counts have marks, codes of countries and hosts, and nothing else that was sent.

local pages = require "hv_edge_pages"
local settings = require "hv_edge_settings"

local NOTED_EVERY_S = settings.noted_every_s
local DAY_S = 24 * 3600
-- Each byte of it is two digits.
local MARK_BYTES = settings.mark_digits / 2
-- Viewers without a token in that time; those before are kept as long, and further
-- ones are not noted.
local MAX_FOLLOWED = settings.max_followed
local MAX_PAGE_BYTES = settings.max_address_chars

local _M = {}
local HEX = {}
for byte = 0, 255 do
    HEX[string.char(byte)] = ("%02x"):format(byte)
end

local key, country_header, has_referrers, has_origins
-- When viewers were noted, by video and what they show.
local newer, older, newer_count, newer_since = {}, {}, 0, 0

function _M.use(secrets)
    key = secrets.viewer_key
    country_header = secrets.country_header ~= ""
        and "http_" .. secrets.country_header:gsub("-", "_") or nil
    has_referrers = secrets.referrers
    has_origins = country_header or has_referrers
end

local function mark_of(text)
    return (ngx.hmac_sha1(key, text):sub(1, MARK_BYTES):gsub(".", HEX))
end

local function is_due(noted, now)
    -- Both ways, or a clock that was set back would stop all notes.
    return not noted or now - noted >= NOTED_EVERY_S or now < noted
end

-- The mark of who shows a token, if it is to be noted now.
local function mark_of_token(claims, now)
    if not is_due(claims.noted, now) then
        return nil
    end
    claims.noted = now
    claims.mark = claims.mark or mark_of("token " .. claims.token)
    return claims.mark
end

-- Remembers that a viewer is noted; false if it was a moment ago, or if there are
-- too many.
local function remember(viewer, now)
    if now - newer_since >= NOTED_EVERY_S or now < newer_since then
        older, newer, newer_count, newer_since = newer, {}, 0, now
    end
    if not is_due(newer[viewer] or older[viewer], now) then
        return false
    end
    if newer[viewer] == nil then
        if newer_count >= MAX_FOLLOWED then
            return false
        end
        newer_count = newer_count + 1
    end
    newer[viewer] = now
    return true
end

-- The mark of an address and a browser, likewise.
local function mark_of_viewer(vars, video, now)
    local address, browser = vars.remote_addr, vars.http_user_agent or ""
    -- Short, and all of it is hashed: of long strings LuaJIT hashes samples, and
    -- those that were made alike would be looked for one by one.
    local viewer = video .. " " .. address .. " " .. ngx.crc32_long(browser)
    if not remember(viewer, now) then
        return nil
    end
    -- As servers read it.
    browser = browser:match("^[ \t]*(.*[^ \t])") or ""
    local day = ("%d"):format(math.floor(now / DAY_S))
    return mark_of("viewer " .. day .. " " .. address .. " " .. browser)
end

local function host_in(page)
    return page and pages.host_of(page:sub(1, MAX_PAGE_BYTES))
end

local function origin_of(vars)
    local note_text = ""
    local country = country_header and vars[country_header]
    country = country and country:match("^[ \t]*(%u%u)[ \t]*$")
    if country and country ~= "XX" and country ~= "ZZ" then
        note_text = " c=" .. country
    end
    local host = has_referrers
        and (host_in(vars.http_origin) or host_in(vars.http_referer))
    if host then
        note_text = note_text .. " r=" .. host
    end
    return note_text
end

-- What follows on the place of a segment that is served now; mostly nothing.
function _M.noted(claims, video)
    local now, vars = ngx.now(), ngx.var
    local mark
    if claims then
        mark = mark_of_token(claims, now)
    else
        mark = mark_of_viewer(vars, video, now)
    end
    local note_text = has_origins and origin_of(vars) or ""
    if mark then
        note_text = " s=" .. mark .. note_text
    end
    return note_text
end

return _M
