import { RegistrationError } from '../model/registration-error.ts'

/**
 * Checks that the policy is an object, such as `rest()` and not `rest`, for users without a
 * compiler.
 * @throws RegistrationError
 */
export function checkRequiredOptions({ policy }: { readonly policy?: unknown } = {}): void {
  checkRequiredOption("'policy' of createRouter()", policy, 'rest() or jsonApi()')
}

/**
 * The same for a store and its blob store.
 * @param where the option that has them, where several have
 * @throws RegistrationError
 */
export function checkRequiredStore(
  { store, blobs }: { readonly store?: unknown; readonly blobs?: unknown } = {},
  where = 'createRouter()',
): void {
  checkRequiredOption(`'store' of ${where}`, store, "sqlite('data/books.db') or memory()")
  if (blobs !== undefined)
    checkRequiredOption(`'blobs' of ${where}`, blobs, "fileBlobs('data/blobs') or memoryBlobs()")
}

/** Shorter secrets could be guessed. */
const minSecretBytes = 32

/** @throws RegistrationError if the secret is too short. The message never contains the secret. */
export function validateSecret(name: string, secret: string | undefined): string | undefined {
  if (secret === undefined) return undefined
  if (typeof secret !== 'string')
    throw new RegistrationError(`The option '${name}' of createRouter() must be a string.`)
  const bytes = Buffer.byteLength(secret)
  if (bytes >= minSecretBytes) return secret
  throw new RegistrationError(
    `The option '${name}' of createRouter() must have at least ${minSecretBytes} bytes, for example from \`openssl rand -hex 32\`; got ${bytes}.`,
  )
}

function checkRequiredOption(option: string, value: unknown, examples: string): void {
  if (typeof value === 'object' && value !== null) return
  throw new RegistrationError(
    `The option ${option} must be the result of a call, such as ${examples}.`,
  )
}
