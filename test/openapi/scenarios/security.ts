import { type Middleware, model, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { type Scenario, scenarioRouter } from './scenario.ts'

/** Middleware that declares its security, its responses and its headers. */
const Team = model('team', { name: z.string() })
const Member = model('member', { name: z.string(), team: toOne('team') })

const signedIn: Middleware = {
  request: { any: (context) => context.setHeader('X-Request-Id', '1') },
  query: { getItem: (query) => query },
  declares: {
    security: { token: { type: 'http', scheme: 'bearer', description: 'As the sign-in gives it' } },
    errors: ['unauthorized'],
    headers: { 'X-Request-Id': 'Names the request, for support' },
  },
}
const limited: Middleware = {
  request: { create: () => undefined },
  declares: {
    security: {
      oauth: {
        type: 'oauth2',
        flows: {
          clientCredentials: {
            tokenUrl: 'https://id.example/token',
            scopes: { write: 'Changes members' },
          },
        },
        scopes: ['write'],
      },
    },
    errors: ['too-many-requests', 'forbidden'],
    responses: {
      402: {
        description: 'The plan is used up',
        content: { 'application/json': z.object({ upgrade: z.url() }) },
      },
    },
  },
}
const router = scenarioRouter('Teams', { policy: rest() })
router.use(signedIn)
router.prepare(Team)
router.prepare(Member).use(limited)

export const security: Scenario = { name: 'security', router }
