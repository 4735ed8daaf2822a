import { guardsOf, readRequestHooks } from '../middleware/hooks.ts'
import type { ModelDescription, RollupField } from '../model/model-description.ts'
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
      refuseHidden(registered, model, field, model, relation.name)
      if (source) refuseHidden(registered, model, field, relatedModel, source.name)
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
  name: string,
): void {
  const mappers = registered.get(owner)?.mappers ?? []
  if (mappers.some(({ options }) => options.hides?.includes(name)))
    throw refusal(model, field, `a mapper hides '${name}' of '${owner.name}'`)
}

function refusal(model: ModelDescription, field: RollupField, reason: string): RegistrationError {
  return new RegistrationError(
    `the field '${field.name}' of the model '${model.name}' is a rollup over all related items, but ${reason}. Set { countsHidden: true } if every reader of '${field.name}' may know what they make together, or remove the field.`,
  )
}
