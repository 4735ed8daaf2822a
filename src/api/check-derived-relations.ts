import { accessOf } from '../middleware/access-checks.ts'
import { guardsOf } from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { narrowsNothing } from '../middleware/narrowing.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'

/**
 * A value that is made of the id of a related item is for those who see this item. Access rules say
 * who they are; what a query hook hides is unknown before a request.
 * @throws RegistrationError
 */
export function checkDerivedRelations(
  models: readonly ModelDescription[],
  middlewareOf: (model: ModelDescription) => readonly Middleware[],
): void {
  for (const { name: modelName, derivedFields, fieldsByName } of models)
    for (const { name, visibility, computed } of derivedFields) {
      if (visibility === 'hidden') continue
      for (const sourceName of computed.from) {
        const source = fieldsByName.get(sourceName)!
        if (source.kind !== 'toOne') continue
        const hooks = middlewareOf(source.relatedModel).filter((each) => !accessOf(each))
        if (narrowsNothing(guardsOf(hooks))) continue
        throw new RegistrationError(
          `the field '${name}' of the model '${modelName}' is derived from '${sourceName}', and query hooks hide some items of '${source.relatedModel.name}'. Say in access rules who reads them, or hide the field with { hidden: true }.`,
        )
      }
    }
}
