import { RegistrationError } from '../model/registration-error.ts'

/** Options of `createRouter` that had another name or place, and where they are now. */
const formerNames: Readonly<Record<string, string>> = {
  authentication: 'security.authentication',
  caller: 'security.callerSchema',
  access: 'security.defaultAccess',
  callerSchema: 'security.callerSchema',
  defaultAccess: 'security.defaultAccess',
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
 * open a service to everyone. Inherited ones too, because options may be derived from others.
 * @throws RegistrationError that names all of them
 */
export function refuseFormerOptions(options: object): void {
  const given = Object(options)
  const renamed = Object.entries(formerNames)
    .filter(([name]) => name in given)
    .map(([name, newName]) => `'${name}' is now '${newName}'`)
  if (renamed.length > 0)
    throw new RegistrationError(`Options of createRouter() have new names: ${renamed.join(', ')}.`)
}
