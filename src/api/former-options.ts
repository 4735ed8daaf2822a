import { RegistrationError } from '../model/registration-error.ts'

/** Options of `createRouter` that had another name, and their name now. */
const formerNames: Readonly<Record<string, string>> = {
  authentication: 'security.authentication',
  caller: 'security.callerSchema',
  access: 'security.defaultAccess',
  tenant: 'security.tenant',
  cors: 'security.cors',
  trustedOrigins: 'security.trustedOrigins',
  protectedResource: 'security.protectedResource',
  cursorSecret: 'security.cursorSecret',
  actionTimeoutMs: 'timeouts.actionMs',
  hookTimeoutMs: 'timeouts.hookMs',
  validationTimeoutMs: 'timeouts.validationMs',
  cacheBytes: 'maxCacheBytes',
  docs: 'docsPage',
  start: 'startPage',
}

/**
 * Refuses options by their former names, for users without a compiler: ignoring one of them could
 * open a service to everyone.
 * @throws RegistrationError that names all of them
 */
export function refuseFormerOptions(options: object): void {
  const renamed = Object.keys(Object(options))
    .filter((name) => Object.hasOwn(formerNames, name))
    .map((name) => `'${name}' is now '${formerNames[name]}'`)
  if (renamed.length > 0)
    throw new RegistrationError(`Options of createRouter() have new names: ${renamed.join(', ')}.`)
}
