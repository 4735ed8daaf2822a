import type { AccessRules } from '../access/access-rules.ts'
import { checkAccess } from '../access/check-access.ts'
import { type FieldGuards, fieldGuards } from '../access/field-guards.ts'
import { type FieldVariants, fieldVariants } from '../access/field-variants.ts'
import { type ModelAccess, modelAccess } from '../access/model-access.ts'
import { operandValue } from '../access/operand-value.ts'
import { type Tenant, withinTenant } from '../access/tenant.ts'
import { type AccessMiddleware, accessMiddleware } from '../middleware/access-hooks.ts'
import type { AnyModel } from '../model/declare/model.ts'
import type { RouterAdditions } from '../model/describe/router-additions.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { jsonSchemaOf, type Schema } from '../schema/standard-schema.ts'
import type { AccessSettings } from './access-settings.ts'
import type { Registration } from './registration.ts'

/** The access rules of a router, compiled. */
export interface RouterAccess {
  /** For models with rules. */
  readonly middleware: ReadonlyMap<ModelDescription, AccessMiddleware>
  readonly accesses: ReadonlyMap<ModelDescription, ModelAccess>
  readonly fields: FieldGuards
  readonly variants: FieldVariants
}

/** The rules of a registered model, within its tenant. */
function rulesOf(
  { model, access }: Registration,
  { tenant, isClosed }: AccessSettings,
): AccessRules | undefined {
  return tenant && Object.hasOwn(model.fields, tenant.field)
    ? withinTenant(tenant, access, isClosed)
    : access
}

/** What the rules add to the models: fields that the service sets, and values unique by tenant. */
export function accessAdditions(
  registrations: readonly Registration[],
  settings: AccessSettings,
): ReadonlyMap<AnyModel, RouterAdditions> {
  return new Map(
    registrations.map((registration) => {
      const { model } = registration
      const { tenant } = settings
      const set = Object.entries(rulesOf(registration, settings)?.set ?? {})
      return [
        model,
        {
          set: new Map(
            set.map(([name, operand]) => [
              name,
              ({ caller }: { readonly caller: unknown }) => operandValue(operand, caller),
            ]),
          ),
          tenant: tenant && Object.hasOwn(model.fields, tenant.field) ? tenant.field : undefined,
        },
      ]
    }),
  )
}

/** @throws RegistrationError for rules that do not fit their model or the caller */
export function routerAccess(
  registered: ReadonlyMap<ModelDescription, Registration>,
  settings: AccessSettings,
  callerSchema: Schema | undefined,
): RouterAccess {
  const accesses = new Map<ModelDescription, ModelAccess>()
  for (const [model, registration] of registered) {
    const rules = rulesOf(registration, settings)
    if (!rules && !settings.isClosed) continue
    if (rules)
      checkAccess(model, rules, {
        actions: [...model.actions, ...registration.operations].map(({ name }) => name),
        hasCallers: callerSchema !== undefined,
        caller: callerSchema && schemaOf(callerSchema),
      })
    accesses.set(model, modelAccess(model, rules, settings.isClosed))
  }
  if (settings.tenant && registered.size > 0) refuseUnusedTenant(settings.tenant, registered)
  return {
    accesses,
    middleware: new Map([...accesses].map(([model, access]) => [model, accessMiddleware(access)])),
    fields: fieldGuards(accesses.values()),
    variants: fieldVariants([...accesses.values()]),
  }
}

function refuseUnusedTenant(
  { field }: Tenant,
  registered: ReadonlyMap<ModelDescription, Registration>,
): void {
  if ([...registered.keys()].some((model) => model.fieldsByName.has(field))) return
  throw new RegistrationError(
    `The option 'tenant' of createRouter() names the field '${field}', which no model of the router has.`,
  )
}

/** Undefined where the schema cannot say what it describes. */
function schemaOf(schema: Schema): JsonSchema | undefined {
  try {
    return jsonSchemaOf(schema, 'output')
  } catch {
    return undefined
  }
}
