import type { KeyObject } from 'node:crypto'
import type { Authenticator } from 'resourcery'
import { apiKeys, bearerJwt } from 'resourcery/auth'
import { z } from 'zod'
import { ApiKey, Person, role } from './models.ts'

/** Who sends a request: `context.caller`, and `caller` in access rules. */
export const Caller = z.object({ id: z.string(), role })
export type Caller = z.infer<typeof Caller>

export const issuer = 'https://id.conference.example'
export const audience = 'https://api.conference.example'

/** Tokens of the issuer, and API keys, which act as their owner. */
export const signIn = (key: KeyObject): readonly Authenticator<z.input<typeof Caller>>[] => [
  bearerJwt({
    issuer,
    audience,
    algorithms: ['ES256'],
    key,
    caller: ({ sub, role }) => Caller.safeParse({ id: sub, role }).data,
  }),
  apiKeys({
    model: ApiKey,
    caller: async ({ owner }, { items }) => {
      const person = await items(Person).get(owner)
      return person && { id: person.id, role: person.role }
    },
  }),
]
