import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import {
  type Authenticator,
  createRouter,
  field,
  model,
  type Router,
  refuse,
  respond,
} from 'resourcery'
import { memory } from 'resourcery/memory'
import type { Service } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { z } from 'zod'

/** Clients see the name only. better-auth keeps the rest. */
export class User extends model('user', {
  name: z.string(),
  email: field(z.string(), { hidden: true }),
}) {}

const Caller = z.object({ id: z.string(), name: z.string() })

/**
 * Notes at `/api`, and sign-in, sign-up and sign-out of better-auth at `/api/auth`.
 * @param origin where the service is, such as `https://notes.example`
 * @param secret signs cookies; at least 32 characters
 */
export function createService(
  origin: string,
  secret: string,
): { readonly router: Router<z.output<typeof Caller>>; readonly sessions: Service } {
  const auth = betterAuth({
    baseURL: origin,
    basePath: '/api/auth',
    secret,
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    emailAndPassword: { enabled: true },
    telemetry: { enabled: false },
    databaseHooks: {
      user: { create: { after: keepUser }, update: { after: keepUser } },
    },
  })

  const session: Authenticator<z.input<typeof Caller>> = {
    name: 'session',
    scheme: { type: 'apiKey', in: 'cookie', name: 'better-auth.session_token' },
    authenticate: ({ headers: { cookie } }) =>
      cookie?.includes('better-auth.session_token=') ? callerOf(cookie) : undefined,
  }

  async function callerOf(cookie: string) {
    const current = await auth.api.getSession({ headers: new Headers({ cookie }) })
    return current
      ? { caller: { id: current.user.id, name: current.user.name } }
      : { refused: 'The session has ended. Sign in again.' }
  }

  const router = createRouter({
    policy: rest(),
    basePath: '/api',
    store: memory(),
    security: { authentication: [session], callerSchema: Caller },
  })
  router.prepare(User).use({
    request: { write: () => refuse('forbidden', 'Users change at /api/auth.') },
    declares: { errors: ['forbidden'] },
  })
  router
    .prepare(
      model('note', {
        text: z.string(),
        author: field(z.string().optional(), {
          from: ({ caller }) => (caller as z.output<typeof Caller> | undefined)?.id,
        }),
      }),
    )
    .use({
      request: {
        write: ({ caller }) => {
          if (!caller) refuse('unauthorized', 'Sign in first.')
        },
      },
      declares: { errors: ['unauthorized'] },
    })

  async function keepUser({ id, name, email }: { id: string; name: string; email: string }) {
    await router.items(User).upsert({ id, name, email })
  }

  const sessions: Service = {
    basePath: '/api/auth',
    respond: async ({ method, path, query, headers, body }) => {
      const bytes = await body?.bytes(64 * 1024)
      const request = new Request(`${origin}${path}${query && `?${query}`}`, {
        method,
        headers: headers as Record<string, string>,
        ...(bytes && bytes.length > 0 && { body: Uint8Array.from(bytes) }),
      })
      const response = await auth.handler(request)
      const cookies = response.headers.getSetCookie()
      const responseHeaders = {
        ...Object.fromEntries(response.headers),
        ...(cookies.length > 0 && { 'set-cookie': cookies }),
      }
      return respond(response.status, responseHeaders, await response.text())
    },
  }
  return { router, sessions }
}
