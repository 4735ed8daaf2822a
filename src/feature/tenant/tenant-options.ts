import type { AccessOperand } from '../../access/access-rules.ts'
import { accessSymbol, operandOf } from '../../access/access-symbols.ts'
import type { CallerSymbol, ValueSymbol } from '../../access/symbol-types.ts'
import { checkOptions, type OptionChecks } from '../../model/check-options.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { Tenant } from './within-tenant.ts'

/** To whom the items of a service belong. */
export interface TenantOptions<Caller = unknown> {
  /** The field that holds the tenant. Models without it belong to all tenants. */
  readonly field: string
  /** The member of the caller that it equals: `(caller) => caller.organization`. */
  readonly equal: (caller: CallerSymbol<Caller>) => ValueSymbol<unknown>
}

const tenantOptions: OptionChecks<TenantOptions<never>> = { field: true, equal: 'function' }

/** @throws RegistrationError */
export function toTenant(options: TenantOptions<never>): Tenant {
  checkOptions("the option 'security.tenant' of createRouter()", options, tenantOptions)
  const operand = typeof options.equal === 'function' ? callerOperand(options.equal) : undefined
  if (operand?.kind !== 'caller' || operand.path.length === 0)
    throw new RegistrationError(
      "'equal' of the option 'security.tenant' must return a member of the caller: { field: 'organization', equal: (caller) => caller.organization }.",
    )
  return { field: options.field, operand }
}

function callerOperand(equal: TenantOptions<never>['equal']): AccessOperand {
  try {
    return operandOf(equal(accessSymbol('caller')))
  } catch (cause) {
    throw new RegistrationError(
      `'equal' of the option 'security.tenant' is invalid: ${(cause as Error).message}`,
      { cause },
    )
  }
}
