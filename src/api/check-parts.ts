import { RegistrationError } from '../model/registration-error.ts'
import type { RouterOptions } from './router-options.ts'

/**
 * What a router is made of has to be there, and made: `rest()`, not `rest`. The compiler says so too, where there is one.
 * @throws RegistrationError naming the part
 */
export function checkParts({ policy, store, blobs }: Partial<RouterOptions> = {}): void {
  check('policy', policy, 'rest() or jsonApi()')
  check('store', store, "sqlite('data/books.db') or memory()")
  if (blobs !== undefined) check('blobs', blobs, "fileBlobs('data/blobs') or memoryBlobs()")
}

function check(name: string, part: unknown, examples: string): void {
  if (typeof part === 'object' && part !== null) return
  throw new RegistrationError(`The option '${name}' of createRouter takes what a call gives, such as ${examples}.`)
}
