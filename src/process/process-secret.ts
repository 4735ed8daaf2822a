import { createHmac, randomBytes } from 'node:crypto'
import { inheritedVariable } from './inherited-variable.ts'

/** The variable of the environment in which a primary gives its workers their common secret. */
export const processSecretVariable = 'RESOURCERY_PROCESS_SECRET'

const secret = inheritedVariable(processSecretVariable) ?? randomBytes(32).toString('hex')

/** A secret that lasts as long as the process, and that all workers of `serve` have in common. */
export function processSecret(): string {
  return secret
}

/**
 * What a router encrypts with where no option names a secret. Routers with other base paths have
 * other secrets; the same router has the same one in each worker of `serve`.
 */
export function routerSecret(basePath: string): string {
  return derivedSecret(basePath)
}

/** By which a worker knows that another one of its primary forwards a connection. */
export function forwardingSecret(): string {
  // A base path begins with a slash.
  return derivedSecret('forwarding')
}

function derivedSecret(purpose: string): string {
  return createHmac('sha256', secret).update(purpose).digest('hex')
}

/** A secret of one of the stores of a router, so that what it encrypts is refused in the others. */
export function storeSecret(secret: string, storeName: string): string {
  return createHmac('sha256', secret).update(`store\n${storeName}`).digest('hex')
}
