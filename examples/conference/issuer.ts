import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { respond } from 'resourcery'
import type { Service } from 'resourcery/node'
import { audience, type Caller, issuer } from './sign-in.ts'

/** Signs tokens, with a key that lasts as long as the process. */
export function localIssuer() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const sign = ({ id, role }: Caller) =>
    new SignJWT({ role })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(id)
      .setExpirationTime('1h')
      .sign(privateKey)
  /** For trying alone: `GET /token/ada` signs anybody in as Ada. */
  const tokens = (people: readonly Caller[]): Service => ({
    basePath: '/token',
    respond: async ({ path }) => {
      const person = people.find(({ id }) => path === `/token/${id}`)
      return person ? respond(200, {}, await sign(person)) : respond(404)
    },
  })
  return { publicKey, sign, tokens }
}
