import type { ModelDescription } from '../model/model-description.ts'
import { toCodeValues } from './code-values.ts'
import type { StoredValues } from './stored-item.ts'

/**
 * The values of a stored item as hooks and checks see them: an instance of the class of the model,
 * with relations as ids. Where the model has no class of its own, its values alone.
 */
export function toCodeInstance(model: ModelDescription, values: StoredValues): StoredValues {
  const codeValues = toCodeValues(model, values)
  return model.hasOwnClass ? (new model.model(codeValues) as StoredValues) : codeValues
}
