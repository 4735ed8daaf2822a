import { expect, it } from 'vitest'
import { z } from 'zod'
import { field } from './declare/field.ts'
import { model } from './declare/model.ts'
import { describeModels } from './describe/describe-models.ts'
import { type ModelView, readableValues } from './model-view.ts'

it('Which values a view shows is decided once, not for each item', () => {
  const [book] = describeModels([
    model('book', { title: z.string(), note: field(z.string(), { hidden: true }) }),
  ])
  let decisions = 0
  const hiddenNames = new Set<string>()
  const view = {
    model: book!,
    isForService: false,
    get hiddenNames() {
      decisions++
      return hiddenNames
    },
  } as unknown as ModelView
  const shown = (title: string) => readableValues(view, { title, note: 'a', other: 1 })
  expect(shown('Emma')).toEqual({ title: 'Emma', other: 1 })
  const decisionsOfFirst = decisions
  expect(shown('Dune')).toEqual({ title: 'Dune', other: 1 })
  expect(decisions).toBe(decisionsOfFirst)
})
