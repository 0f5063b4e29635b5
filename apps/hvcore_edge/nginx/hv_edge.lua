-- What the edge serves, and to whom. It only ever says yes: a request that is not
-- certainly good, or not certainly simple, goes to the service, which has the
-- rules, the words and the codes.

local changes = require "hv_edge_changes"
local cjson = require "cjson.safe"
local domains = require "hv_edge_domains"
local ffi = require "ffi"
local cache = require "hv_edge_cache"
local pages = require "hv_edge_pages"
local paths = require "hv_edge_paths"
local renewals = require "hv_edge_renewals"
local requests = require "hv_edge_requests"
local room = require "hv_edge_room"
local settings = require "hv_edge_settings"
local tally = require "hv_edge_tally"
local texts = require "hv_edge_texts"
local tokens = require "hv_edge_tokens"
local viewers = require "hv_edge_viewers"

-- As the service sends them, in each worker of nginx: an authorization has 40 bytes for
-- each file of its video, and takes half as much again here.
local MAX_AUTHORIZATIONS_BYTES = 64 * 1024 * 1024
local ETAG_CHARS = settings.etag_chars
local BYTES = ffi.typeof("const unsigned char *")
local SHARED = "public, max-age=" .. settings.immutable_max_age_s .. ", immutable"

local _M = {}
local authorizations_fetched = 0
local secret, player_origin, is_local, changes_file, tallies

-- Called by init_by_lua, in the process that may read the file of the secrets.
function _M.load(path)
    local file = assert(io.open(path, "rb"))
    local given = assert(cjson.decode(file:read("*a")))
    file:close()
    secret, player_origin = given.secret, given.player_origin
    is_local, changes_file, tallies = given.is_local, given.changes, given.tallies
    tokens.use(given)
    viewers.use(given)
end

function _M.start()
    changes.watch(changes_file)
    room.watch(tallies)
    tally.start(tallies)
end

local function pass_to_service()
    return ngx.exec("@service")
end

local function fetch_authorization(before, scope)
    local answer = ngx.location.capture("/.hv/authorization/" .. scope, {
        vars = { hv_secret = secret, hv_known = before and before.tag or "" },
    })
    if answer.status == 304 then
        return before
    end
    local authorization = answer.status == 200 and not answer.truncated
        and cjson.decode(answer.body) or nil
    if authorization then
        authorizations_fetched = authorizations_fetched + 1
        authorization.number, authorization.bytes = authorizations_fetched, #answer.body
    end
    return authorization
end

local function ask_which_hold(list)
    local answer = ngx.location.capture("/.hv/authorizations", {
        vars = { hv_secret = secret, hv_known = list },
    })
    return answer.status == 200 and not answer.truncated and answer.body or nil
end

local authorizations = cache.new(MAX_AUTHORIZATIONS_BYTES, renewals.new(ask_which_hold))

local function authorization_of(scope)
    return authorizations:fresh(scope)
        or authorizations:get(scope, fetch_authorization, scope)
end

-- The token of a query: nil if there is none, or if there may be several.
local function token_in(args)
    local token
    if args:find("[%%+;]") then
        return nil
    end
    for name, value in args:gmatch("([^&=]*)=?([^&]*)") do
        if name == "token" then
            if token then
                return nil
            end
            token = value
        end
    end
    return token
end

-- What the token of the address says; first is all that follows "?token=".
local function claims_of(first, size)
    -- Nearly always there is nothing else. If there is, it is no token.
    local claims = first and tokens.claims(first, size)
    if claims then
        return claims
    end
    local address = ngx.var.request_uri
    local token = token_in(address:sub(address:find("?", 1, true) + 1))
    if not token then
        return nil
    end
    -- No tail call, after which nothing would keep the token's bytes.
    local describe_file = tokens.claims(ffi.cast(BYTES, token), #token)
    return describe_file
end

-- A key may have ended since the edge has read it, and with it all tokens.
local function is_believed(authorization, kid)
    if not authorization.kids then
        -- Of a service of an older version, which has no other keys.
        return true
    end
    for _, one in ipairs(authorization.kids) do
        if one == kid then
            return true
        end
    end
    return false
end

-- The authorization under which a request is served, what its token says, and its scope.
local function authorize(place, has_query, first, size)
    local claims
    local scope = place.scope
    if place.kind == "private" or place.kind == "share" then
        claims = has_query and claims_of(first, size)
        if not claims then
            return nil
        end
    end
    if place.kind == "private" then
        if claims.use ~= "playback" or claims.share ~= nil
            or (place.video ~= claims.sub and place.video ~= claims.aud)
            or (claims.domain_list and not domains.complete(claims, secret))
            or (claims.domains and not pages.is_allowed(claims, player_origin)) then
            return nil
        end
        scope = claims.scope
    elseif place.kind == "share"
        and (claims.use ~= "share" or claims.share ~= place.share) then
        return nil
    end
    local authorization = authorization_of(scope)
    if not authorization or (authorization.expires and ngx.now() >= authorization.expires)
        or (authorization.domains and not pages.is_allowed(authorization, player_origin))
        or (claims and (claims.sub ~= authorization.video
            or claims.aud ~= authorization.public
            or not is_believed(authorization, claims.kid))) then
        return nil
    end
    return authorization, claims, scope
end

local function describe_file(authorization, track, path, etag, size)
    return {
        -- Its number alone, or the place would keep the authorization in memory.
        authorization_number = authorization.number,
        path = authorization.root .. "/" .. path, etag = '"' .. etag .. '"',
        size = size, is_audio = track.is_audio,
    }
end

-- Where a media file lies, its entity tag and length; nil for what was not
-- published.
local function find_media(authorization, place)
    local track = authorization.tracks[place.track]
    if not track then
        return nil
    end
    local name, number = place.track == "video" and track.name or place.track, place.number
    if not number then
        return describe_file(authorization, track, track.folder .. "/" .. name .. "/init.m4s",
            track.init, track.init_size)
    end
    for _, piece in ipairs(track.pieces) do
        local first = piece[2]
        if number >= first and number < first + piece[3] then
            local etag = track.etags:sub(
                number * ETAG_CHARS + 1, (number + 1) * ETAG_CHARS)
            if #etag == ETAG_CHARS then
                local media = describe_file(
                    authorization, track, piece[1] .. "/" .. name .. "/" .. number .. ".m4s",
                    etag, track.sizes[number + 1])
                media.place = track.place
                media.org, media.video = track.place:match("^[^ ]+"), authorization.video
                return media
            end
        end
    end
    return nil
end

-- Where a range begins: 0 without one, nil for one that the service judges.
local function range_start(range)
    if not range then
        return 0
    end
    local first, last = range:match("^bytes=(%d+)%-(%d*)$")
    if not first or #first > 12 or #last > 12 then
        return nil
    end
    local start = tonumber(first)
    if last ~= "" and tonumber(last) < start then
        return nil
    end
    return start
end

-- Answers that the client has it; true if it does.
local function is_not_modified(etag)
    local known = ngx.var.http_if_none_match
    if not known or (known ~= "*" and not known:find(etag, 1, true)) then
        return false
    end
    ngx.status = 304
    ngx.send_headers()
    ngx.exit(ngx.OK)
    return true
end

local function send_media(authorization, claims, place, method, scope, is_unconditional)
    local media = place.media
    if not media or media.authorization_number ~= authorization.number then
        media = find_media(authorization, place)
        place.media = media
    end
    local vars = ngx.var
    local start = 0
    if not is_unconditional then
        local range = vars.http_range
        start = range_start(range)
        if range and method == "HEAD" then
            return pass_to_service()
        end
    end
    if not media or not start or start >= media.size then
        return pass_to_service()
    end
    local is_counted = media.place and method == "GET"
    if is_counted and not tally.has_room() then
        return pass_to_service()
    end
    vars.hv_etag = media.etag
    if place.kind == "public" then
        vars.hv_cache = SHARED
    end
    if not is_unconditional and is_not_modified(media.etag) then
        return
    end
    if media.is_audio then
        ngx.header.content_type = "audio/mp4"
    end
    if is_counted then
        tally.expect(media, claims)
    end
    vars.hv_path = media.path
    if not is_local then
        vars.hv_secret = secret
        if room.is_full() then
            vars.hv_is_full = "1"
        end
        return ngx.exec("/.hv/media/" .. scope .. "/" .. place.file)
    end
end

local function send_text(place, path, scope, claims, method, is_unconditional)
    local vars = ngx.var
    if not claims and (method == "HEAD" or not is_unconditional)
        or not is_unconditional and vars.http_range then
        return pass_to_service()
    end
    local text, is_silent, body, length, etag
    if claims then
        text, is_silent = texts.prepared(scope, place.file, secret)
        if text then
            length, etag = texts.measured(text, claims)
            if texts.is_better_elsewhere(length, claims.token) then
                return pass_to_service()
            end
        end
    else
        text, is_silent = texts.open(path, vars.http_accept_encoding or "")
        if text then
            body, length, etag = text.body, text.bytes, text.etag
        end
    end
    if is_silent then
        -- A store that is silent is waited for once.
        return ngx.exec("@unavailable")
    end
    if not text then
        return pass_to_service()
    end
    vars.hv_etag, vars.hv_cache = etag, text.cache
    local header, names, values = ngx.header, text.names, text.values
    -- As of the text itself (RFC 9110, 15.4.5).
    header.vary = text.vary
    if not is_unconditional and is_not_modified(etag) then
        return
    end
    for at = 1, #names do
        header[names[at]] = values[at]
    end
    header.content_length = length
    if method == "HEAD" then
        ngx.send_headers()
    elseif claims then
        if not texts.send(text, claims, length) then
            return ngx.exit(ngx.ERROR)
        end
    else
        ngx.print(body)
    end
    return ngx.exit(200)
end

-- Called by access_by_lua: serves, or hands to the service.
function _M.judge()
    tally.forget()
    requests.number()
    local method, has_conditions = ngx.req.get_method(), requests.asks()
    local path, has_query, first, size = requests.address()
    local place = paths.parse(path)
    if not place or has_conditions == nil or (method ~= "GET" and method ~= "HEAD") then
        return pass_to_service()
    end
    local authorization, claims, scope = authorize(place, has_query, first, size)
    if not authorization then
        return pass_to_service()
    end
    if not place.is_text then
        return send_media(authorization, claims, place, method, scope, not has_conditions)
    end
    return send_text(place, path, scope, claims, method, not has_conditions)
end

-- Called by access_by_lua of /health: the service says there that this disk is full.
function _M.tell_disk()
    ngx.var.hv_disk = room.is_full() and "full" or "ok"
end

-- Called by log_by_lua, when it was served.
_M.count = tally.count

return _M
