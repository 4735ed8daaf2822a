import { RegistrationError } from '../model/registration-error.ts'
import type { RouterOptions } from './router-options.ts'

/**
 * What a router is made of has to be there, and made: `rest()`, not `rest`. The compiler says so
 * too, where there is one.
 * @throws RegistrationError naming the part
 */
export function checkRequiredOptions({ policy, store, blobs }: Partial<RouterOptions> = {}): void {
  checkRequiredOption('policy', policy, 'rest() or jsonApi()')
  checkRequiredOption('store', store, "sqlite('data/books.db') or memory()")
  if (blobs !== undefined)
    checkRequiredOption('blobs', blobs, "fileBlobs('data/blobs') or memoryBlobs()")
}

/** What guesses cannot reach: 32 hexadecimal digits, or as many characters of a sentence. */
const minSecretBytes = 32

/**
 * @throws RegistrationError where a secret is none that guesses cannot reach; it tells the length,
 * and nothing of the secret itself
 */
export function validateSecret(name: string, secret: string | undefined): string | undefined {
  if (secret === undefined) return undefined
  if (typeof secret !== 'string')
    throw new RegistrationError(`The option '${name}' of createRouter() must be a string.`)
  const bytes = Buffer.byteLength(secret)
  if (bytes >= minSecretBytes) return secret
  throw new RegistrationError(
    `The option '${name}' of createRouter() must have at least ${minSecretBytes} bytes, best random ones such as \`openssl rand -hex 32\` gives; got ${bytes}.`,
  )
}

function checkRequiredOption(name: string, part: unknown, examples: string): void {
  if (typeof part === 'object' && part !== null) return
  throw new RegistrationError(
    `The option '${name}' of createRouter takes what a call gives, such as ${examples}.`,
  )
}
