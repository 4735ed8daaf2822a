import { accessSymbol, operandOf } from '../access/access-symbols.ts'
import type { CallerSymbol, ValueSymbol } from '../access/symbol-types.ts'
import type { Tenant } from '../access/tenant.ts'
import { checkOptions, type OptionChecks } from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'

/** The options of a router that decide who may do what. */
export interface AccessSettings {
  readonly isClosed: boolean
  readonly tenant: Tenant | undefined
}

/** To whom the items of a service belong. */
export interface TenantOptions<Caller = unknown> {
  /** The field that holds the tenant. Models without it belong to all tenants. */
  readonly field: string
  /** The member of the caller that it equals: `(caller) => caller.organization`. */
  readonly equal: (caller: CallerSymbol<Caller>) => ValueSymbol<unknown>
}

interface AccessOptions {
  readonly defaultAccess?: 'open' | 'closed'
  readonly tenant?: TenantOptions<never>
  readonly authentication?: readonly unknown[]
}

/** @throws RegistrationError */
export function accessSettings({
  defaultAccess,
  tenant,
  authentication,
}: AccessOptions): AccessSettings {
  if (tenant !== undefined && authentication === undefined)
    throw new RegistrationError(
      "The option 'security.tenant' of createRouter() needs callers. Set security: { authentication, callerSchema } too.",
    )
  return {
    isClosed: defaultAccess === 'closed',
    tenant: tenant === undefined ? undefined : toTenant(tenant),
  }
}

const tenantOptions: OptionChecks<TenantOptions<never>> = { field: true, equal: true }

function toTenant(options: TenantOptions<never>): Tenant {
  checkOptions("the option 'security.tenant' of createRouter()", options, tenantOptions)
  const operand =
    typeof options.equal === 'function'
      ? operandOf(options.equal(accessSymbol('caller')))
      : undefined
  if (operand?.kind !== 'caller' || operand.path.length === 0)
    throw new RegistrationError(
      "'equal' of the option 'security.tenant' must return a member of the caller: { field: 'organization', equal: (caller) => caller.organization }.",
    )
  return { field: options.field, operand }
}
