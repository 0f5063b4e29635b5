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
-- After two of them without a note a viewer is forgotten.
local PERIOD_S = settings.session_period_s
-- All organizations may have as many viewers as so many shares; the last one goes only to
-- organizations that have no more than a part of a share.
local ALL_SHARES, NEWCOMERS_SHARE = settings.all_shares, settings.newcomers_share
-- Of a viewer who is not followed, since there are too many.
local UNFOLLOWED = " s=" .. settings.unfollowed
local MAX_PAGE_BYTES = settings.max_address_chars

local _M = {}
local HEX = {}
for byte = 0, 255 do
    HEX[string.char(byte)] = ("%02x"):format(byte)
end

local key, country_header, has_referrers, has_origins
local most_of_one = 0

-- When viewers were noted, by what they show, and how many there are, by organization and
-- in all: in this period and the one before.
local function new_period()
    return { noted = {}, viewers = {}, count = 0 }
end
local newer, older, newer_since = new_period(), new_period(), 0

function _M.use(secrets)
    key, most_of_one = secrets.viewer_key, secrets.live_sessions_of_one
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

local function rotate(now)
    local passed = now - newer_since
    if passed >= 0 and passed < PERIOD_S then
        return
    end
    older = passed >= 0 and passed < 2 * PERIOD_S and newer or new_period()
    newer, newer_since = new_period(), now
end

-- Whether one more viewer of an organization can be followed.
local function may_follow(org)
    local followed = (newer.viewers[org] or 0) + (older.viewers[org] or 0)
    local free = ALL_SHARES * most_of_one - newer.count - older.count
    local reserved = followed > most_of_one / NEWCOMERS_SHARE and most_of_one or 0
    return followed < most_of_one and free > reserved
end

local function count(period, org, number)
    period.viewers[org] = (period.viewers[org] or 0) + number
    period.count = period.count + number
end

-- Remembers that a viewer is noted: true, nil if that was a moment ago, or false if there
-- are too many.
local function remember(viewer, org, now)
    rotate(now)
    local before = older.noted[viewer]
    if not is_due(newer.noted[viewer] or before, now) then
        return nil
    end
    if before then
        older.noted[viewer] = nil
        count(older, org, -1)
    end
    if not newer.noted[viewer] then
        if not before and not may_follow(org) then
            return false
        end
        count(newer, org, 1)
    end
    newer.noted[viewer] = now
    return true
end

-- What is noted of who shows a token: a mark, that it is not followed, or nothing now.
local function noted_of_token(claims, org, now)
    if not is_due(claims.noted, now) then
        return ""
    end
    claims.mark = claims.mark or mark_of("token " .. claims.token)
    local is_followed = remember(claims.mark, org, now)
    if is_followed == false then
        return UNFOLLOWED
    end
    claims.noted = now
    return is_followed and " s=" .. claims.mark or ""
end

-- What is noted of an address and a browser, likewise.
local function noted_of_viewer(vars, media, now)
    local address, browser = vars.remote_addr, vars.http_user_agent or ""
    -- Short, and all of it is hashed: of long strings LuaJIT hashes samples, and
    -- those that were made alike would be looked for one by one.
    local viewer = media.video .. " " .. address .. " " .. ngx.crc32_long(browser)
    local is_followed = remember(viewer, media.org, now)
    if not is_followed then
        return is_followed == false and UNFOLLOWED or ""
    end
    -- As servers read it.
    browser = browser:match("^[ \t]*(.*[^ \t])") or ""
    local day = ("%d"):format(math.floor(now / DAY_S))
    return " s=" .. mark_of("viewer " .. day .. " " .. address .. " " .. browser)
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

-- What follows on the place of a segment that was served now; mostly nothing.
function _M.noted(claims, media)
    local now, vars = ngx.now(), ngx.var
    local note_text
    if claims then
        note_text = noted_of_token(claims, media.org, now)
    else
        note_text = noted_of_viewer(vars, media, now)
    end
    return has_origins and note_text .. origin_of(vars) or note_text
end

return _M
