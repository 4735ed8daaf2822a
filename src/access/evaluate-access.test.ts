import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { model } from '../model/declare/model.ts'
import { describeModels } from '../model/describe/describe-models.ts'
import { always, never } from '../query/conditions.ts'
import { type AccessCondition, anyone, nobody, signedIn } from './access-condition.ts'
import { accessSymbol } from './access-symbols.ts'
import { itemCondition } from './evaluate-access.ts'
import type { CallerSymbol, ItemSymbol } from './symbol-types.ts'

class Note extends model('note', {
  text: z.string(),
  stars: z.int().optional(),
  owner: z.string().optional(),
  tags: z.array(z.string()),
}) {}
interface Caller {
  id: string
  level: number
  roles: string[]
}
const [note] = describeModels([Note])
const item: ItemSymbol<Note> = accessSymbol('item')
const caller: CallerSymbol<Caller> = accessSymbol('caller')
const ann: Caller = { id: 'ann', level: 2, roles: ['editor'] }
const conditionFor = (condition: AccessCondition, ...callers: readonly [unknown?]) =>
  itemCondition(condition.expression, note!, {
    caller: callers.length === 0 ? ann : callers[0],
  })

describe('The condition of a rule for a caller', () => {
  it('compares the item with what the caller has', () => {
    expect(conditionFor(item.owner.equal(caller.id))).toEqual({
      kind: 'compare',
      path: { names: ['owner'] },
      operator: 'equal',
      value: 'ann',
    })
    const stars = { kind: 'compare', path: { names: ['stars'] } }
    expect(conditionFor(caller.level.greaterThan(item.stars))).toEqual({
      kind: 'and',
      conditions: [
        { ...stars, operator: 'lessThan', value: 2 },
        { ...stars, operator: 'notEqual', value: null },
      ],
    })
    expect(conditionFor(caller.roles.contains(item.text))).toEqual({
      kind: 'oneOf',
      path: { names: ['text'] },
      values: ['editor'],
    })
  })

  it('is decided where the caller alone decides', () => {
    expect(conditionFor(caller.roles.contains('editor'))).toEqual(always)
    expect(conditionFor(caller.roles.contains('admin'))).toEqual(never)
    expect(conditionFor(caller.level.greaterThanOrEqual(2))).toEqual(always)
    expect(conditionFor(signedIn)).toEqual(always)
    expect(conditionFor(signedIn, undefined)).toEqual(never)
    expect(conditionFor(anyone.and(nobody).not())).toEqual(always)
  })

  it('never holds where the caller lacks a value, also negated', () => {
    for (const rule of [
      item.owner.equal(caller.id),
      item.owner.notEqual(caller.id),
      item.tags.contains(caller.id),
      caller.roles.contains('admin'),
      caller.level.lessThan(3),
    ]) {
      expect(conditionFor(rule, undefined)).toEqual(never)
      expect(conditionFor(rule.not(), undefined)).toEqual(never)
      expect(conditionFor(rule.not(), { id: null, roles: null, level: null })).toEqual(never)
    }
    expect(conditionFor(caller.id.isNull(), {})).toEqual(always)
  })

  it('ignores what the prototype of a caller has', () => {
    const untyped = accessSymbol('caller') as Record<string, CallerSymbol<Caller>['id']>
    expect(conditionFor(untyped['constructor']!.isNull(), {})).toEqual(always)
  })

  it('equals no value of another type', () => {
    expect(conditionFor(item.owner.equal(caller.id), { id: 7 })).toEqual(never)
    expect(conditionFor(item.id.equal(caller.id), { id: 7 })).toMatchObject({ value: '7' })
  })

  it('follows De Morgan, whatever the caller lacks', () => {
    const leaf = fc.constantFrom(
      item.owner.equal(caller.id),
      caller.roles.contains('editor'),
      signedIn,
      item.text.equal('x'),
      anyone,
      nobody,
    )
    const who = fc.constantFrom<unknown>(undefined, ann, { id: 'bob' })
    fc.assert(
      fc.property(leaf, leaf, who, (one, other, each) => {
        expect(conditionFor(one.and(other).not(), each)).toEqual(
          conditionFor(one.not().or(other.not()), each),
        )
        expect(conditionFor(one.or(other).not(), each)).toEqual(
          conditionFor(one.not().and(other.not()), each),
        )
      }),
    )
  })
})
