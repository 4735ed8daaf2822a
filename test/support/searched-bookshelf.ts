import { z } from 'zod'
import { field } from '../../src/model/declare/field.ts'
import { model } from '../../src/model/declare/model.ts'
import { toMany, toOne } from '../../src/model/declare/relation.ts'
import { describeModels } from '../../src/model/describe/describe-models.ts'
import type { ModelDescription } from '../../src/model/model-description.ts'
import { toFieldPath } from '../../src/query/conditions.ts'
import type { SearchCondition, SearchTerm } from '../../src/query/query-plan.ts'
import { wordsOf } from '../../src/query/search-words.ts'

/** Models whose books are searched in their titles, their notes and the names of their authors. */
export function searchedBookshelf(
  search: Readonly<Record<string, number>> = { title: 3, 'author.name': 2, 'note.text': 1 },
): readonly [author: ModelDescription, book: ModelDescription] {
  return describeModels([
    model('author', {
      name: z.string().nullish(),
      books: toMany('book', { inverse: 'author' }),
    }),
    model(
      'book',
      {
        title: z.string().nullish(),
        price: field(z.number(), { index: true }),
        note: z.object({ text: z.string().nullish() }).nullish(),
        author: toOne('author', { optional: true }),
      },
      { search },
    ),
  ]) as readonly [ModelDescription, ModelDescription]
}

export function searchFor(...terms: readonly SearchTerm[]): SearchCondition {
  const weights = { title: 3, 'author.name': 2, 'note.text': 1 }
  const fields = Object.entries(weights).map(([name, weight]) => ({
    path: toFieldPath(name),
    weight,
  }))
  return { kind: 'search', fields, terms }
}

export function term(
  text: string,
  ending: SearchTerm['ending'] = 'word',
  isExcluded = false,
): SearchTerm {
  return { words: wordsOf(text).trim(), ending, isExcluded }
}
