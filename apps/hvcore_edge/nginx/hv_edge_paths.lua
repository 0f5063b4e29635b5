-- What an address names: whose permission it needs, and which file it wants.
-- Whatever is not written exactly like this is the service's to judge.

local memo = require "hv_edge_memo"
local settings = require "hv_edge_settings"

local MAX_PATHS = 20000
local MAX_NUMBER_DIGITS = settings.max_number_digits
-- Of ours the longest has some 200; others are not worth remembering.
local MAX_PATH_BYTES = 300

local _M = {}
local paths = memo.new(MAX_PATHS)

local function parse_file(place, file)
    place.file = file
    local track, name = file:match("^(video/%d+p)/(%w+)%.m4s$")
    if not track then
        track, name = file:match("^(audio%-?%d*)/(%w+)%.m4s$")
    end
    if file == "video/init.m4s" then
        track, name = "video", "init"
    end
    if track then
        local number = tonumber(name)
        place.track = track
        if name == "init" then
            return place
        end
        -- One spelling of a number.
        if number and #name <= MAX_NUMBER_DIGITS and tostring(number) == name then
            place.number = number
            return place
        end
        return nil
    end
    if file:match("^[%w-]+%.m3u8$") or file == "manifest.mpd"
        or file == "storyboard.vtt" then
        place.is_text = true
        return place
    end
    return nil
end

local function parse_path(path)
    local video, file = path:match("^/v1/private/(%l+_%w+)/([%w/.-]+)$")
    if video then
        return parse_file({ kind = "private", video = video }, file)
    end
    local owner
    owner, file = path:match("^/v1/public/([%w_-]+/[%w_-]+/%l+_%w+)/([%w/.-]+)$")
    if owner then
        return parse_file({ kind = "public", scope = "public/" .. owner }, file)
    end
    local share
    share, file = path:match("^/v1/share/(shr_%w+)/([%w/.-]+)$")
    if share then
        return parse_file(
            { kind = "share", share = share, scope = "share/" .. share }, file)
    end
    local key
    key, file = path:match("^/v1/(ek_%w+)/([%w/.-]+)$")
    if key then
        return parse_file({ kind = "key", scope = "key/" .. key }, file)
    end
    return nil
end

-- The place of a path, false for what the service judges.
function _M.parse(path)
    if #path > MAX_PATH_BYTES then
        return false
    end
    local place = paths:get(path)
    if place == nil then
        place = parse_path(path) or false
        paths:set(path, place)
    end
    return place
end

return _M
