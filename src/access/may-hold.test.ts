import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { model } from '../model/declare/model.ts'
import { toMany } from '../model/declare/relation.ts'
import { describeModels } from '../model/describe/describe-models.ts'
import { type AccessCondition, anyone, nobody, signedIn } from './access-condition.ts'
import { accessSymbol, nowSymbol } from './access-symbols.ts'
import { itemCondition } from './evaluate-access.ts'
import { mayHold } from './may-hold.ts'
import type { CallerSymbol, ItemSymbol } from './symbol-types.ts'

interface Caller {
  id?: string
  roles?: string[]
}
class Note extends model('note', {
  owner: z.string(),
  until: z.iso.datetime(),
  tags: z.array(z.string()),
  answers: toMany<Note>('note'),
}) {}
const [note] = describeModels([Note])
const item: ItemSymbol<Note> = accessSymbol('item')
const caller: CallerSymbol<Caller> = accessSymbol('caller')
const context = (value: Caller | undefined) => ({ caller: value, now: new Date(0) })

const parts: readonly AccessCondition[] = [
  anyone,
  nobody,
  signedIn,
  item.owner.equal('ann'),
  item.owner.isNull(),
  item.owner.equal(caller.id),
  item.owner.startsWith(caller.id),
  item.tags.contains(caller.id),
  item.tags.containsAll(caller.roles),
  item.until.greaterThan(nowSymbol),
  caller.roles.contains(item.owner),
  caller.roles.contains('admin'),
  caller.id.isNull(),
  caller.id.equal('ann'),
  item.answers.some((answer) => answer.owner.equal(caller.id)),
  item.answers.some((answer) => answer.owner.equal('ann').and(caller.roles.contains('admin'))),
]
const rules = fc.letrec<{ rule: AccessCondition }>((tie) => ({
  rule: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...parts),
    tie('rule').map((rule) => rule.not()),
    fc.tuple(tie('rule'), tie('rule')).map(([one, other]) => one.and(other)),
    fc.tuple(tie('rule'), tie('rule')).map(([one, other]) => one.or(other)),
  ),
})).rule
const callers = fc.constantFrom<Caller | undefined>(
  undefined,
  {},
  { id: 'ann' },
  { roles: [] },
  { roles: ['admin'] },
  { id: 'bob', roles: ['editor'] },
)

it('a rule that may hold in no item has the condition never', () => {
  fc.assert(
    fc.property(rules, callers, ({ expression }, value) => {
      const condition = itemCondition(expression, note!, context(value))
      if (!mayHold(expression, context(value))) expect(condition.kind).toBe('never')
    }),
    { numRuns: 500 },
  )
})

it.each<readonly [string, AccessCondition, Caller | undefined, boolean]>([
  ['names what an anonymous caller lacks', item.owner.equal(caller.id), undefined, false],
  ['names what the caller lacks', item.owner.equal(caller.id), { roles: ['admin'] }, false],
  ['is negated, and names what it lacks', item.owner.equal(caller.id).not(), {}, false],
  ['names what the caller has', item.owner.equal(caller.id), { id: 'ann' }, true],
  ['has an alternative', item.owner.equal(caller.id).or(item.owner.equal('x')), {}, true],
  ['has a part that never holds', item.owner.equal('x').and(signedIn), undefined, false],
  ['needs related items', parts.at(-2)!, {}, false],
])('a rule that %s may hold: as it should', (_, { expression }, value, holds) => {
  expect(mayHold(expression, context(value))).toBe(holds)
})
