import { unknownName } from '../../error/unknown-name.ts'
import type { AnyModel } from '../../model/declare/model.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { Feature } from '../feature.ts'
import { type TenantOptions, toTenant } from './tenant-options.ts'
import { withinTenant } from './within-tenant.ts'

/** The option, and what it needs. */
interface OptionWithNeeds {
  readonly tenant?: TenantOptions<never>
  readonly authentication?: unknown
}

/**
 * Keeps the items of tenants apart; undefined if the option is off.
 * @throws RegistrationError for an invalid option, and without authentication
 */
export function tenant({ tenant: options, authentication }: OptionWithNeeds): Feature | undefined {
  if (options === undefined) return undefined
  if (authentication === undefined)
    throw new RegistrationError(
      "The option 'security.tenant' of createRouter() needs callers. Set security: { authentication, callerSchema } too.",
    )
  const settings = toTenant(options)
  const { field } = settings
  const belongsToTenant = ({ fields }: AnyModel) => Object.hasOwn(fields, field)
  return {
    accessRules: (model, rules, isClosed) =>
      belongsToTenant(model) ? withinTenant(settings, rules, isClosed) : rules,
    uniqueWithin: (model) => (belongsToTenant(model) ? field : undefined),
    registered: (models) => {
      if (models.length > 0 && !models.some(({ fieldsByName }) => fieldsByName.has(field)))
        throw new RegistrationError(
          unknownName(
            `The option 'security.tenant' of createRouter() names the field '${field}', which no model of the router has`,
            field,
            [...new Set(models.flatMap(({ fieldsByName }) => [...fieldsByName.keys()]))],
          ),
        )
    },
  }
}
