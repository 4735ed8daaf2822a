import { deepFreeze } from '../access/access-condition.ts'
import { decisionOf } from '../access/access-decision.ts'
import type { AccessExpression, AccessRules } from '../access/access-rules.ts'
import { checkAccess } from '../access/check-access.ts'
import { checkCallerIds } from '../access/check-caller-ids.ts'
import { checkSearched } from '../access/check-searched.ts'
import { withComputedRules } from '../access/computed-rules.ts'
import type { ReadRuleOf } from '../access/derived-rules.ts'
import { type FieldGuards, fieldGuards } from '../access/field-guards.ts'
import { type FieldVariants, fieldVariants } from '../access/field-variants.ts'
import { type ModelAccess, modelAccess } from '../access/model-access.ts'
import { operandValue } from '../access/operand-value.ts'
import type { RulesOf } from '../access/rollup-rules.ts'
import { type AccessMiddleware, accessMiddleware } from '../middleware/access-checks.ts'
import type { AnyModel } from '../model/declare/model.ts'
import { describeRouterModels } from '../model/describe/describe-models.ts'
import type { RouterAdditions } from '../model/describe/router-additions.ts'
import type { ModelDescription } from '../model/model-description.ts'
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

/** The rules of a registered model, with what features add to them. */
function rulesOf(
  { model, access }: Registration,
  { features, isClosed }: AccessSettings,
): AccessRules | undefined {
  return features.reduce(
    (rules, feature) => (feature.accessRules ? feature.accessRules(model, rules, isClosed) : rules),
    access,
  )
}

/**
 * The rules of each registered model as they hold: with features, those of computed fields, and the
 * default access.
 * @throws RegistrationError for computed fields that cannot be registered
 */
export function describeAccess(
  registrations: readonly Registration[],
  settings: AccessSettings,
): Readonly<Record<string, AccessRules>> {
  const byDefault = defaultRule(settings)
  const completeRules = registrations.some(({ model }) => hasComputed(model))
    ? rulesWithComputed(describeRegistered(registrations, settings), settings)
    : (registration: Registration) => rulesOf(registration, settings)
  return deepFreeze(
    Object.fromEntries(
      registrations.map((registration) => [
        registration.model.modelName,
        {
          read: byDefault,
          create: byDefault,
          update: byDefault,
          delete: byDefault,
          ...(completeRules(registration) ?? { actions: {}, set: {}, fields: {} }),
        },
      ]),
    ),
  )
}

function defaultRule({ isClosed }: AccessSettings): AccessExpression {
  return { kind: isClosed ? 'nobody' : 'anyone' }
}

function hasComputed({ fields }: AnyModel): boolean {
  // Registration reports what is no field.
  return Object.values(fields).some(
    (field: unknown) => Object(field) === field && 'computed' in Object(field),
  )
}

/** The registrations of the models, by their descriptions. */
type Registered = ReadonlyMap<ModelDescription, Registration>

/** @throws RegistrationError */
export function describeRegistered(
  registrations: readonly Registration[],
  settings: AccessSettings,
): Registered {
  const models = describeRouterModels(
    registrations.map(({ model }) => model),
    accessAdditions(registrations, settings),
  )
  return new Map(models.map((model, index) => [model, registrations[index]!]))
}

/** The rules of each model, with those that its computed fields have because of their sources. */
function rulesWithComputed(
  registered: Registered,
  settings: AccessSettings,
): (registration: Registration) => AccessRules | undefined {
  const models = new Map([...registered].map(([model, registration]) => [registration, model]))
  const declared: RulesOf = (model) => {
    const registration = registered.get(model)
    return registration && rulesOf(registration, settings)
  }
  const readRuleOf: ReadRuleOf = (model) => declared(model)?.read ?? defaultRule(settings)
  return (registration) => withComputedRules(models.get(registration)!, declared, readRuleOf)
}

/** What the rules add to the models: fields that the service sets, and what is unique within. */
function accessAdditions(
  registrations: readonly Registration[],
  settings: AccessSettings,
): ReadonlyMap<AnyModel, RouterAdditions> {
  return new Map(
    registrations.map((registration) => {
      const { model } = registration
      const { set = {}, fields = {} } = rulesOf(registration, settings) ?? {}
      const [uniqueWithin] = settings.features.flatMap(
        (feature) => feature.uniqueWithin?.(model) ?? [],
      )
      return [
        model,
        {
          set: new Map(
            Object.entries(set).map(([name, operand]) => [
              name,
              {
                from: (context) => operandValue(operand, context),
                isReplaceable: allowsSome(fields[name]?.write),
              },
            ]),
          ),
          uniqueWithin,
        },
      ]
    }),
  )
}

/** Does the rule, if there is one, allow something to some callers? */
function allowsSome(expression: AccessExpression | undefined): boolean {
  return expression !== undefined && decisionOf(expression).kind !== 'never'
}

/** @throws RegistrationError for rules that do not fit their model or the caller */
export function routerAccess(
  registered: Registered,
  settings: AccessSettings,
  callerSchema: Schema | undefined,
): RouterAccess {
  const accesses = new Map<ModelDescription, ModelAccess>()
  const allRules = new Map<ModelDescription, AccessRules>()
  const completeRules = rulesWithComputed(registered, settings)
  for (const [model, registration] of registered) {
    const rules = rulesOf(registration, settings)
    if (!rules) continue
    allRules.set(model, rules)
    checkAccess(model, rules, {
      actions: [...model.actions, ...registration.operations].map(({ name }) => name),
      hasCallers: callerSchema !== undefined,
      caller: callerSchema && schemaOf(callerSchema),
    })
  }
  checkCallerIds(allRules)
  for (const [model, registration] of registered) {
    const rules = completeRules(registration)
    if (rules || settings.isClosed)
      accesses.set(model, modelAccess(model, rules, settings.isClosed))
  }
  checkSearched(registered.keys(), accesses)
  return {
    accesses,
    middleware: new Map([...accesses].map(([model, access]) => [model, accessMiddleware(access)])),
    fields: fieldGuards(accesses.values()),
    variants: fieldVariants([...accesses.values()]),
  }
}

/** Undefined where the schema cannot say what it describes. */
function schemaOf(schema: Schema): JsonSchema | undefined {
  try {
    return jsonSchemaOf(schema, 'output')
  } catch {
    return undefined
  }
}
