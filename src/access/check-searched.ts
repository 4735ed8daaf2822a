import type { ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { isRelation } from '../model/relation-kinds.ts'
import type { ModelAccess } from './model-access.ts'

/**
 * Checks that every reader of an item may read what is searched in it: an index of words is the
 * same for all callers.
 * @throws RegistrationError
 */
export function checkSearched(
  models: Iterable<ModelDescription>,
  accesses: ReadonlyMap<ModelDescription, ModelAccess>,
): void {
  for (const start of models) {
    for (const { path } of start.searched) {
      let model = start
      for (const name of path.names) {
        const field = model.fieldsByName.get(name)
        const rule = accesses.get(model)?.fields.find((each) => each.field === field)
        if (rule && rule.read.kind !== 'always')
          throw new RegistrationError(
            `'${path.names.join('.')}' in the option 'search' of the model '${start.name}' cannot be searched: not every reader of '${model.name}' may read '${name}'. Remove it from the option, or the condition 'read' from its access rule.`,
          )
        if (!field || !isRelation(field)) break
        model = field.relatedModel
      }
    }
  }
}
