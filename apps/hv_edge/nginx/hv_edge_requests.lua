-- The address and the number of a request, read and written where nginx has them:
-- a string that is made for each request is garbage afterwards.

local bit = require "bit"
local base = require "resty.core.base"
local ffi = require "ffi"

ffi.cdef [[
void *memchr(const void *text, int byte, size_t length);
int memcmp(const void *one, const void *other, size_t length);
int RAND_bytes(unsigned char *buffer, int length);
]]

local C = ffi.C
local MARK = ("?"):byte()
local TOKEN = "?token="
local DECLINED = base.FFI_DECLINED
local AT_ONCE, BYTES, DIGITS = 256, 16, 32
local ADDRESS, ADDRESS_LENGTH = "request_uri", #"request_uri"
local NUMBER, NUMBER_LENGTH = "hv_id", #"hv_id"
-- Of "100 Continue" the log would say that it is bytes of the body.
local IF_MATCH, IF_MATCH_LENGTH = "http_if_match", #"http_if_match"
local IF_UNMODIFIED = "http_if_unmodified_since"
local IF_UNMODIFIED_LENGTH = #IF_UNMODIFIED
local IF_RANGE, IF_RANGE_LENGTH = "http_if_range", #"http_if_range"
local EXPECT, EXPECT_LENGTH = "http_expect", #"http_expect"

local _M = {}

local value, length = ffi.new("unsigned char *[1]"), ffi.new("size_t[1]")
local message, message_length = ffi.new("char *[1]"), ffi.new("size_t[1]")
local lowered = ffi.new("unsigned char[32]")
local said = ffi.new("unsigned char[256]")
local random = ffi.new("unsigned char[?]", AT_ONCE * BYTES)
local digits = ffi.new("unsigned char[?]", AT_ONCE * DIGITS)
local used = AT_ONCE
local DIGIT = ffi.new("unsigned char[17]", "0123456789abcdef")

-- The path of an address as it was sent, what follows "?token=" if its query begins
-- so, and whether it has a query.
function _M.address()
    local request = base.get_request()
    if C.ngx_http_lua_ffi_var_get(request, ADDRESS, ADDRESS_LENGTH, lowered, 0,
                                  value, length, message) ~= 0 then
        error("a request without an address")
    end
    local text, all = value[0], tonumber(length[0])
    local mark = ffi.cast("unsigned char *", C.memchr(text, MARK, all))
    if mark == nil then
        return ffi.string(text, all), nil, false
    end
    local before = tonumber(mark - text)
    local path = ffi.string(text, before)
    local after = all - before - #TOKEN
    if after > 0 and C.memcmp(mark, TOKEN, #TOKEN) == 0 then
        return path, ffi.string(mark + #TOKEN, after), true
    end
    return path, nil, true
end

local function has(request, name, name_length)
    return C.ngx_http_lua_ffi_var_get(request, name, name_length, lowered, 0, value,
                                      length, message) ~= DECLINED
end

-- Whether a request has a header on which nginx and the service may differ. Even an
-- empty one counts: nginx refuses what does not match it, and in its configuration it
-- cannot be told from none.
function _M.is_unusual()
    local request = base.get_request()
    return has(request, IF_MATCH, IF_MATCH_LENGTH)
        or has(request, IF_UNMODIFIED, IF_UNMODIFIED_LENGTH)
        or has(request, IF_RANGE, IF_RANGE_LENGTH)
        or has(request, EXPECT, EXPECT_LENGTH)
end

-- Randomness for some hundred numbers, where nginx's $request_id asks for that of one.
local function more()
    assert(C.RAND_bytes(random, AT_ONCE * BYTES) == 1)
    for at = 0, AT_ONCE * BYTES - 1 do
        local byte = random[at]
        digits[2 * at] = DIGIT[bit.rshift(byte, 4)]
        digits[2 * at + 1] = DIGIT[bit.band(byte, 15)]
    end
    used = 0
end

-- Gives the request a number of 32 digits that no other one has.
function _M.number()
    if used >= AT_ONCE then
        more()
    end
    local at = used * DIGITS
    used = used + 1
    message_length[0] = 256
    if C.ngx_http_lua_ffi_var_set(base.get_request(), NUMBER, NUMBER_LENGTH, lowered,
                                  digits + at, DIGITS, said, message_length) ~= 0 then
        error("a request without a number")
    end
end

return _M
