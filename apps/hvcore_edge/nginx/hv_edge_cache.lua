-- Answers of the service, kept for less than a second and never past a change
-- on this machine. Of many requests that need the same, one asks.

local changes = require "hv_edge_changes"
local semaphore = require "ngx.semaphore"
local settings = require "hv_edge_settings"

local CACHE_TTL_S = settings.cache_ttl_s
-- From then on one request asks anew while the others go on with what is kept.
local RENEWED_AFTER_S = settings.renewed_after_s
local PATIENCE_S = 2
-- About what an entry takes beside its key and value.
local ENTRY_BYTES = 1000

local _M = { CACHE_TTL_S = CACHE_TTL_S, PATIENCE_S = PATIENCE_S }
local Cache = { __index = _M }

-- Keeps up to max_bytes of values, of which each has its bytes: the newer half,
-- and of the older one what is still asked for. Values that have a tag may have
-- renewals (hv_edge_renewals): then several are renewed together. A request waits up to
-- patience_s for what another request asks.
function _M.new(max_bytes, renewals, patience_s)
    return setmetatable({
        newer = {}, older = {}, newer_bytes = 0, half = max_bytes / 2, asking = {},
        renewals = renewals, patience_s = patience_s or PATIENCE_S,
    }, Cache)
end

local function bytes_of(key, entry)
    return entry and #key + entry.value.bytes + ENTRY_BYTES or 0
end

function _M:set(key, entry)
    self.older[key] = nil
    local before = self.newer[key]
    self.newer[key] = entry
    self.newer_bytes = self.newer_bytes + bytes_of(key, entry) - bytes_of(key, before)
    if self.newer_bytes > self.half then
        self.older, self.newer, self.newer_bytes = self.newer, {}, 0
    end
end

function _M:find(key)
    local entry = self.newer[key]
    if not entry then
        entry = self.older[key]
        if entry then
            self:set(key, entry)
        end
    end
    return entry
end

local function is_fresh(entry, now)
    return entry and now - entry.asked < CACHE_TTL_S and now >= entry.asked
        and entry.change == changes.latest()
end

-- Asks, and tells everybody who waits; nil if the service says no, and then whether
-- that came of waiting in vain, as fetch says.
function _M:ask(key, before, fetch, one, other)
    local request = { ended = semaphore.new(), waiting = 0, change = changes.latest() }
    ngx.update_time()
    request.since = ngx.now()
    self.asking[key] = request
    -- Protected: whoever waits must be woken.
    local ok, value, is_silent = pcall(fetch, before, one, other)
    if self.asking[key] == request then
        self.asking[key] = nil
    end
    if not ok then
        value, is_silent = nil, nil
    end
    request.is_silent = is_silent
    if value and not value.is_long then
        local entry = {
            value = value, asked = request.since, change = request.change, renewing = 0,
            used = false,
        }
        self:set(key, entry)
        if self.renewals then
            self.renewals:add(self, key, request.since)
        end
    else
        self:set(key, nil)
    end
    if request.waiting > 0 then
        request.ended:post(request.waiting)
    end
    return value, is_silent
end

-- What is kept under a key, if there is no reason to ask yet. Nearly every request
-- ends here, so nothing is made here that would have to be thrown away.
function _M:fresh(key)
    local now = ngx.now()
    local entry = self:find(key)
    if is_fresh(entry, now)
        and (now - entry.asked < RENEWED_AFTER_S or now < entry.renewing) then
        entry.used = true
        return entry.value
    end
    return nil
end

-- What is kept under a key, else what fetch(before, one, other) returns: a value, or nil
-- and whether the service waited in vain. It was asked for less than CACHE_TTL_S ago, and
-- after the last change on this machine.
-- No closure: LuaJIT compiles no function that makes one, even where it does not.
function _M:get(key, fetch, one, other)
    local now = ngx.now()
    local entry = self:find(key)
    if is_fresh(entry, now) then
        if now - entry.asked < RENEWED_AFTER_S or now < entry.renewing then
            return entry.value
        end
        entry.renewing = now + PATIENCE_S
        if self.renewals and self.renewals:renew(self, key, entry, now) then
            return entry.value
        end
        entry.renewing = now + PATIENCE_S
        return self:ask(key, entry.value, fetch, one, other)
    end
    local request = self.asking[key]
    local patience_s = self.patience_s
    if request and now - request.since < patience_s and request.change == changes.latest() then
        request.waiting = request.waiting + 1
        request.ended:wait(patience_s)
        entry = self:find(key)
        if is_fresh(entry, ngx.now()) then
            return entry.value
        end
        return nil, request.is_silent
    end
    return self:ask(key, entry and entry.value, fetch, one, other)
end

return _M
