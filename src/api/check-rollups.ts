import { guardsOf, readRequestHooks } from '../middleware/hooks.ts'
import {
  type FieldDescription,
  isDerivedField,
  type ModelDescription,
  type RollupField,
} from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'
import type { Registration } from './registration.ts'

/**
 * Checks that what hooks and mappers hide does not stand in a rollup. Access rules have been looked
 * at already (`withRollupRules`).
 * @throws RegistrationError
 */
export function checkRollups(
  registered: ReadonlyMap<ModelDescription, Registration>,
  middleware: MiddlewareByModel,
): void {
  for (const model of registered.keys())
    for (const field of model.rollupFields) {
      const { relation, source, countsHidden } = field.computed
      if (countsHidden) continue
      const { relatedModel } = relation
      if (guardsOf(middleware.of(relatedModel)).hooks.length > 0)
        throw refusal(model, field, `query hooks hide items of '${relatedModel.name}'`)
      if (hasOwnChecks(middleware, model, relatedModel))
        throw refusal(model, field, `request hooks check who reads '${relatedModel.name}'`)
      refuseHidden(registered, model, field, model, relation)
      refuseHidden(registered, model, field, relatedModel, relation.inverseOf)
      if (source) refuseHidden(registered, model, field, relatedModel, source)
    }
}

/** Has the related model request hooks for reads that those who read the item do not pass? */
function hasOwnChecks(
  middleware: MiddlewareByModel,
  model: ModelDescription,
  relatedModel: ModelDescription,
): boolean {
  const passed = new Set(readRequestHooks(middleware.of(model)).map(({ run }) => run))
  return readRequestHooks(middleware.relatedOf(relatedModel)).some(({ run }) => !passed.has(run))
}

function refuseHidden(
  registered: ReadonlyMap<ModelDescription, Registration>,
  model: ModelDescription,
  field: RollupField,
  owner: ModelDescription,
  shown: FieldDescription,
): void {
  const mappers = registered.get(owner)?.mappers ?? []
  const hidden = new Set(mappers.flatMap(({ options }) => options.hides ?? []))
  if (isHidden(owner, shown, hidden))
    throw refusal(model, field, `a mapper hides '${shown.name}' of '${owner.name}'`)
}

/** Mappers that hide a field hide what is derived from it. */
function isHidden(
  model: ModelDescription,
  field: FieldDescription,
  hidden: ReadonlySet<string>,
): boolean {
  if (hidden.has(field.name)) return true
  if (field.kind !== 'value' || !isDerivedField(field)) return false
  return field.computed.from.some((name) => isHidden(model, model.fieldsByName.get(name)!, hidden))
}

function refusal(model: ModelDescription, field: RollupField, reason: string): RegistrationError {
  return new RegistrationError(
    `the field '${field.name}' of the model '${model.name}' is a rollup over all related items, but ${reason}. Set { countsHidden: true } if every reader of '${field.name}' may know what they make together, or remove the field.`,
  )
}
