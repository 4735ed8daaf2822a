import type { ModelDescription, SearchedText } from '../model-description.ts'
import { isRelation } from '../relation-kinds.ts'

/**
 * The texts in the items of each model in which any model searches: its own, and those that a
 * relation of another one leads to, such as `name` of authors for `author.name` of books.
 */
export function describeSearchedTexts(
  models: readonly ModelDescription[],
): ReadonlyMap<ModelDescription, readonly SearchedText[]> {
  const texts = new Map<ModelDescription, Map<string, SearchedText>>()
  for (const start of models)
    for (const { path } of start.searched) {
      const { model, names } = endOf(start, path.names)
      const ofModel = texts.get(model) ?? new Map<string, SearchedText>()
      texts.set(model, ofModel)
      const [name, ...members] = names
      const field = model.fieldsByName.get(name!)
      if (field?.kind === 'value')
        ofModel.set(names.join('.'), Object.freeze({ field, members: Object.freeze(members) }))
    }
  return new Map(
    [...texts].map(([model, ofModel]) => [model, Object.freeze([...ofModel.values()])]),
  )
}

/** The model that the relations of a path lead to, with the names that are left there. */
function endOf(
  start: ModelDescription,
  names: readonly string[],
): { readonly model: ModelDescription; readonly names: readonly string[] } {
  const field = start.fieldsByName.get(names[0]!)
  return field && isRelation(field) && names.length > 1
    ? endOf(field.relatedModel, names.slice(1))
    : { model: start, names }
}
