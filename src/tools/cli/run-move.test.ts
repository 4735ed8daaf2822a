import { expect, it } from 'vitest'
import { z } from 'zod'
import { model } from '../../index.ts'
import { leftBehind } from './run-move.ts'

it('says what a copy does not have, where a model keeps more than items', () => {
  const Plain = model('plain', { text: z.string() })
  const Note = model('note', { text: z.string() }, { history: true })
  const Card = model('card', { text: z.string() }, { trash: true })
  expect(leftBehind([Plain])).toEqual([])
  expect(leftBehind([Plain, Note, Card])).toEqual([
    "Not copied: former versions and deleted items of 'note' and 'card', and the log of changes.",
  ])
})
