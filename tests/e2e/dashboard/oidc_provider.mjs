/*
 * An OpenID provider on loopback, whose people and keys a test changes.
 *
 * Usage: node oidc_provider.mjs <folder of the package oidc-provider>
 *
 * Each line on stdin is JSON: what changes. Each is answered by a line on stdout.
 */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

/* Only answers go to stdout; the library tells its notices there. */
console.info = console.error;
const load = (file) => import(pathToFileURL(`${process.argv[2]}/lib/${file}`));
const { default: Provider } = await load('index.js');
const { createMemoryAdapter } = await load('adapters/memory_adapter.js');

const people = {};
const state = {
  keys: [], refreshSeconds: 3600, client: null, program: null, organization: '',
  isDown: false, isSilent: false,
};
const counts = { refreshed: 0 };
/* What was issued outlives the keys. */
const adapter = createMemoryAdapter();
let provider = null;

function addKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const jwk = privateKey.export({ format: 'jwk' });
  state.keys = [{ ...jwk, kid: randomUUID(), use: 'sig', alg: 'RS256' }];
}

async function findAccount(_context, id) {
  const person = people[id];
  if (!person) { return undefined; }
  return { accountId: id, claims: async () => ({ sub: id, ...person }) };
}

/* Nobody is asked to consent: the client belongs to the house. */
async function loadExistingGrant(context) {
  const { client, session } = context.oidc;
  const grant = new context.oidc.provider.Grant({
    clientId: client.clientId, accountId: session.accountId });
  grant.addOIDCScope('openid profile email');
  await grant.save();
  return grant;
}

async function getResourceServerInfo(_context, resource) {
  return {
    scope: 'read', audience: resource, accessTokenFormat: 'jwt', accessTokenTTL: 600,
    jwt: { sign: { alg: 'RS256' } },
  };
}

async function logoutSource(context, form) {
  context.body = `<!doctype html><title>Sign out</title>${form}
    <button form="op.logoutForm" name="logout" value="yes">Yes, sign me out</button>`;
}

function makeProvider(issuer) {
  provider = new Provider(issuer, {
    clients: [{
      ...state.client,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    }, state.program],
    adapter,
    jwks: { keys: state.keys },
    cookies: { keys: ['of tests'] },
    claims: { openid: ['sub'], profile: ['name', 'groups'], email: ['email', 'email_verified'] },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: true, logoutSource },
      clientCredentials: { enabled: true },
      /* Access tokens for an API are signed ones (RFC 9068). */
      resourceIndicators: { enabled: true, getResourceServerInfo },
    },
    extraTokenClaims: async () => ({ org: state.organization }),
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    findAccount,
    loadExistingGrant,
    issueRefreshToken: async () => true,
    rotateRefreshToken: () => true,
    pkce: { required: () => true },
    ttl: {
      AccessToken: 600, AuthorizationCode: 60, IdToken: 600, Interaction: 600,
      Grant: 3600, Session: 3600, RefreshToken: () => state.refreshSeconds,
    },
  });
  provider.on('grant.success', (context) => {
    if (context.oidc.params.grant_type === 'refresh_token') { counts.refreshed += 1; }
  });
}

async function signIn(request, response) {
  if (request.method === 'GET') {
    response.setHeader('Content-Type', 'text/html');
    response.end(`<!doctype html><title>Who are you?</title><form method="post">
      <label>Name <input name="login"></label><button>Sign in here</button></form>`);
    return;
  }
  let body = '';
  for await (const chunk of request) { body += chunk; }
  const login = new URLSearchParams(body).get('login');
  const result = people[login]
    ? { login: { accountId: login } }
    : { error: 'access_denied', error_description: 'nobody of that name' };
  await provider.interactionFinished(request, response, result);
}

const server = createServer((request, response) => {
  if (state.isSilent) {
    /* The connection stays open. */
  } else if (state.isDown) {
    response.statusCode = 503;
    response.end();
  } else if (request.url.startsWith('/interaction/')) {
    signIn(request, response);
  } else {
    provider.callback()(request, response);
  }
});

server.listen(0, 'localhost', () => {
  const issuer = `http://localhost:${server.address().port}`;
  const told = (answer) => console.log(JSON.stringify(answer));
  addKey();
  told({ issuer });
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { people: changed, rotate, ...rest } = JSON.parse(line);
    Object.assign(people, changed);
    Object.assign(state, rest);
    if (rotate) { addKey(); }
    if (rotate || rest.client) { makeProvider(issuer); }
    told({ ...counts });
  }).on('close', () => process.exit());
});
