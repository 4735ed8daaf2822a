import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { respond } from 'resourcery'
import type { Service } from 'resourcery/node'
import { audience, type Caller, issuer } from './sign-in.ts'

/** Signs tokens, with a key that lasts as long as the process. */
export class LocalIssuer {
  readonly publicKey: KeyObject
  readonly #privateKey: KeyObject

  constructor() {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.publicKey = publicKey
    this.#privateKey = privateKey
  }

  sign({ id, role }: Caller): Promise<string> {
    return new SignJWT({ role })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(id)
      .setExpirationTime('1h')
      .sign(this.#privateKey)
  }
}

/** For trying alone: `GET /token/ada` signs anybody in as Ada. */
export const tokens = (issuer: LocalIssuer, people: readonly Caller[]): Service => ({
  basePath: '/token',
  respond: async ({ path }) => {
    const person = people.find(({ id }) => path === `/token/${id}`)
    return person ? respond(200, {}, await issuer.sign(person)) : respond(404)
  },
})
