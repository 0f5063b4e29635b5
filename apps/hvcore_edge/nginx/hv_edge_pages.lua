-- The pages on which a token or an edge key may be used, as in
-- hvcore/domain/playback/page_domains.py.

local memo = require "hv_edge_memo"
local settings = require "hv_edge_settings"

local ADDRESS = "^" .. settings.page_address .. "(?=$|[/?#])"
local MAX_PAGES, MAX_PAGE_BYTES = 100, 500
local MAX_HOSTS, MAX_HOST_BYTES = 1000, settings.max_host_chars

local _M = {}
local hosts = memo.new(MAX_HOSTS)

local function covers(entry, host)
    if entry:sub(1, 2) == "*." then
        local tail = entry:sub(2)
        return #host > #tail and host:sub(-#tail) == tail
    end
    return host == entry
end

local function is_listed(domains, page, player)
    if player ~= "" and (page .. "/"):sub(1, #player + 1) == player .. "/" then
        return true
    end
    local match = ngx.re.match(page:lower(), ADDRESS, "jo")
    if match then
        for _, entry in ipairs(domains) do
            if covers(entry, match[1]) then
                return true
            end
        end
    end
    return false
end

local function read_host(page)
    local match = ngx.re.match(page:lower(), ADDRESS, "jo")
    local host = match and match[1]
    -- An address may be the viewer's own.
    if not host or #host > MAX_HOST_BYTES or ("." .. host):match("%.%d+$") then
        return false
    end
    return host
end

-- The host of a page, false if it has no name (as is_referrer in
-- hvcore/domain/analytics/breakdown.py).
function _M.host_of(page)
    local host = hosts:get(page)
    if host == nil then
        host = read_host(page)
        hosts:set(page, host)
    end
    return host
end

-- Whether a request comes from a listed page, or from our player. Remembered in
-- owner, which has the domains.
function _M.is_allowed(owner, player)
    local page = ngx.var.http_origin or ngx.var.http_referer
    if not page then
        return false
    end
    if #page > MAX_PAGE_BYTES then
        return is_listed(owner.domains, page, player)
    end
    local answers = owner.pages
    if not answers or owner.pages_count >= MAX_PAGES then
        answers = {}
        owner.pages, owner.pages_count = answers, 0
    end
    if answers[page] == nil then
        answers[page] = is_listed(owner.domains, page, player)
        owner.pages_count = owner.pages_count + 1
    end
    return answers[page]
end

return _M
