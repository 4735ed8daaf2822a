import { randomBytes } from 'node:crypto'

/** The variable of the environment in which a primary tells its workers their common secret. */
export const processSecretVariable = 'RESOURCERY_PROCESS_SECRET'

/**
 * What is encrypted with where no option names a secret: it lasts as long as the process, and all
 * workers of `serve` have the same one, so that each can read what another has sent.
 */
export function processSecret(): string {
  return process.env[processSecretVariable] ?? randomBytes(32).toString('hex')
}
