import { expect, it } from 'vitest'
import { z } from 'zod'
import { model } from '../model/declare/model.ts'
import { describeModels } from '../model/describe/describe-models.ts'
import { decisionOf } from './access-decision.ts'
import { accessSymbol, nowSymbol } from './access-symbols.ts'
import { conditionOf } from './field-guards.ts'
import type { CallerSymbol, ItemSymbol } from './symbol-types.ts'

class Note extends model('note', { owner: z.string(), until: z.iso.datetime() }) {}
const note = describeModels([Note])[0]!
const item: ItemSymbol<Note> = accessSymbol('item')
const caller: CallerSymbol<{ id: string }> = accessSymbol('caller')

it('decides a rule once for each request, however often it is asked', () => {
  let reads = 0
  const countedCaller = {
    get id() {
      reads++
      return 'ann'
    },
  }
  const decision = decisionOf(item.owner.equal(caller.id).expression)
  const request = { caller: countedCaller, now: new Date(1) }
  const first = conditionOf(decision, note, request)
  const readsOfOne = reads
  expect(conditionOf(decision, note, { ...request })).toBe(first)
  expect(reads).toBe(readsOfOne)
  expect(conditionOf(decision, note, { ...request, now: new Date(1) })).toEqual(first)
  expect(reads).toBe(2 * readsOfOne)
})

it('decides a rule anew for another caller and another time', () => {
  const owned = decisionOf(item.owner.equal(caller.id).expression)
  const now = new Date(1)
  const ann = conditionOf(owned, note, { caller: { id: 'ann' }, now })
  const bob = conditionOf(owned, note, { caller: { id: 'bob' }, now })
  expect(bob).not.toEqual(ann)
  expect(conditionOf(owned, note, { now })).toMatchObject({ kind: 'never' })
  const open = decisionOf(item.until.greaterThan(nowSymbol).expression)
  expect(conditionOf(open, note, { now })).not.toEqual(
    conditionOf(open, note, { now: new Date(2) }),
  )
})
