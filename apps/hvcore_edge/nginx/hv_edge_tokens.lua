-- Playback tokens, verified as hvcore/playback_tokens does. Only a token that is
-- good in every respect is accepted here: all others are the service's to refuse.

local base64 = require "ngx.base64"
local cjson = require "cjson.safe"
local ffi = require "ffi"
local memo = require "hv_edge_memo"
local settings = require "hv_edge_settings"

ffi.cdef [[
int memcmp(const void *one, const void *other, size_t length);
const void *EVP_sha256(void);
unsigned char *HMAC(const void *md, const void *key, int key_len,
                    const char *data, size_t length,
                    unsigned char *out, unsigned int *out_len);
int CRYPTO_memcmp(const void *one, const void *other, size_t length);
void *EVP_PKEY_new_raw_public_key(int type, void *engine,
                                  const char *key, size_t length);
void *EVP_MD_CTX_new(void);
void EVP_MD_CTX_free(void *context);
int EVP_DigestVerifyInit(void *context, void **key_context, const void *md,
                         void *engine, void *key);
int EVP_DigestVerify(void *context, const char *signature, size_t signature_length,
                     const char *data, size_t length);
]]

local ED25519 = 1087
local HMAC_BYTES = 32
local LEEWAY_S = settings.leeway_s
local MAX_TOKEN_BYTES = settings.max_token_bytes
local MAX_VALID_S = settings.max_valid_s
local MAX_VERIFIED = settings.max_cached_tokens
local TAG_CHARS = 16
-- Of what a token ends with, a part of its signature, to look for it.
local TAIL_BYTES = 8
local WORDS = ffi.typeof("const uint32_t *")

local _M = {}

local keys, issuer, verified = {}, nil, nil
local digest, digest_length = ffi.new("unsigned char[64]"), ffi.new("unsigned int[1]")

function _M.use(secrets)
    issuer = secrets.issuer
    verified = memo.new(MAX_VERIFIED)
    for _, key in ipairs(secrets.keys) do
        local material = ngx.decode_base64(key.material)
        local parsed = { algorithm = key.algorithm, material = material }
        if key.algorithm == "EdDSA" then
            parsed.public = ffi.C.EVP_PKEY_new_raw_public_key(
                ED25519, nil, material, #material)
        end
        keys[key.kid] = parsed
    end
end

local function is_hmac(key, signed, signature)
    ffi.C.HMAC(ffi.C.EVP_sha256(), key.material, #key.material,
               signed, #signed, digest, digest_length)
    return #signature == HMAC_BYTES
        and ffi.C.CRYPTO_memcmp(digest, signature, HMAC_BYTES) == 0
end

local function is_ed25519(key, signed, signature)
    local context = ffi.C.EVP_MD_CTX_new()
    local good = key.public ~= nil
        and ffi.C.EVP_DigestVerifyInit(context, nil, nil, nil, key.public) == 1
        and ffi.C.EVP_DigestVerify(
            context, signature, #signature, signed, #signed) == 1
    ffi.C.EVP_MD_CTX_free(context)
    return good
end

local function is_signed(header, signed, signature64)
    local key = type(header) == "table" and keys[header.kid]
    local signature = base64.decode_base64url(signature64)
    if not key or key.algorithm ~= header.alg or not signature
        -- One spelling of a signature, and not the four that decode alike.
        or base64.encode_base64url(signature) ~= signature64 then
        return false
    end
    if key.algorithm == "EdDSA" then
        return is_ed25519(key, signed, signature)
    end
    return is_hmac(key, signed, signature)
end

local function is_whole(number)
    return type(number) == "number" and number % 1 == 0
end

local function are_texts(list)
    if type(list) ~= "table" or #list == 0 then
        return false
    end
    for _, text in ipairs(list) do
        if type(text) ~= "string" then
            return false
        end
    end
    return true
end

local function verify(token)
    local header64, payload64, signature64 =
        token:match("^([%w_-]+)%.([%w_-]+)%.([%w_-]+)$")
    if not header64 or #token > MAX_TOKEN_BYTES then
        return nil
    end
    local header = cjson.decode(base64.decode_base64url(header64) or "")
    local signed = header64 .. "." .. payload64
    if not is_signed(header, signed, signature64) then
        return nil
    end
    local claims = cjson.decode(base64.decode_base64url(payload64) or "")
    if type(claims) ~= "table" or claims.iss ~= issuer
        or not is_whole(claims.iat) or not is_whole(claims.exp)
        or claims.exp <= claims.iat or claims.exp - claims.iat > MAX_VALID_S
        or claims.iat > ngx.now() + LEEWAY_S
        or (claims.nbf ~= nil
            and not (is_whole(claims.nbf) and claims.nbf <= ngx.now() + LEEWAY_S))
        or type(claims.sub) ~= "string" or type(claims.aud) ~= "string" then
        return nil
    end
    if type(claims.domains) == "string" then
        -- They are many, and stand elsewhere; see hv_edge_domains.
        claims.domain_list, claims.domains = claims.domains, nil
        return claims.domain_list:match("^[%w_-]+$") and claims, header.kid
    end
    if claims.domains ~= nil and not are_texts(claims.domains) then
        return nil
    end
    return claims, header.kid
end

-- A number by which a token is looked for, of 48 bits of its end: more would not be exact.
local function tail_of(text, size)
    local words = ffi.cast(WORDS, text + size - TAIL_BYTES)
    return tonumber(words[0]) + tonumber(words[1] % 65536) * 4294967296
end

-- The claims of a token that is in force, nil for every other; text points to its bytes.
-- Those that were seen before become no string: LuaJIT looks for each string that is made
-- among all that it has, which takes longer than to find and compare them here.
function _M.claims(text, size)
    if size < TAIL_BYTES then
        return nil
    end
    local tail = tail_of(text, size)
    local claims = verified:get(tail)
    if not claims or #claims.token ~= size
        or ffi.C.memcmp(text, claims.token, size) ~= 0 then
        local token = ffi.string(text, size)
        local kid
        claims, kid = verify(token)
        if not claims then
            return nil
        end
        claims.kid = kid
        claims.token, claims.scope = token, "private/" .. claims.sub
        -- Tells tokens apart, and tells nothing about one.
        claims.tag = ngx.md5(token):sub(1, TAG_CHARS)
        verified:set(tail, claims)
    end
    if ngx.now() >= claims.exp + LEEWAY_S then
        return nil
    end
    return claims
end

return _M
