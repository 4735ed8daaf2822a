import { expect } from 'vitest'
import {
  always,
  type Condition,
  idEquals,
  idIsAnyOf,
  type Scalar,
  toFieldPath,
} from '../../store/public.ts'
import { idsOf, insert, insertAll, matching, planOf, type Suite } from './harness.ts'
import { author, book, contentOf, itemOf, odd } from './models.ts'

const ids = [
  'a',
  'A',
  '~:@.-_',
  ':',
  '.',
  '..',
  "it's",
  '"',
  '""',
  '%',
  '_',
  '%41',
  'a b',
  ' a',
  '\\',
  '/',
  '?',
  '#',
  '$',
  '$.id',
  '[0]',
  '{}',
  '*',
  '0',
  '00',
  '1e1',
  'null',
  'true',
  'id',
  'é',
  'e\u0301',
  '😀',
  '\uFFFD',
  '\uE000',
  'x'.repeat(128),
  "'; DROP TABLE book; --",
  '--',
  '?1',
  ':id',
  '\u0001',
  '\n',
]

/** The path of each member of the odd model; its names have a meaning in JSON paths and SQL. */
const names: readonly (readonly [readonly string[], Scalar])[] = [
  [['order'], 'o'],
  [['group'], 7],
  [['select'], 's'],
  [['Name'], 'upper'],
  [['name'], 'lower'],
  [['text'], 't'],
  [['revision'], 70],
  [['rowid'], 700],
  [['from-to'], 'f'],
  [['where', 'and'], 'w'],
  [['where', "it's"], 'q'],
  [['where', 'a.b'], 'd'],
  [['index'], 'x-1'],
  [['index', 'order'], 'behind'],
]

export function oddNames(suite: Suite): void {
  suite.alone('keeps items apart whose ids look odd', async (store) => {
    await insertAll(store, [
      [author, ids.map((id) => ({ id, name: id }))],
      [book, ids.map((id) => ({ id, author: id, genres: [id], title: id }))],
    ])
    const sorted = await idsOf(store, book, planOf())
    expect(sorted).toEqual(
      ids.toSorted((entry, other) => Buffer.compare(Buffer.from(entry), Buffer.from(other))),
    )
    for (const id of ids) {
      const what = JSON.stringify(id)
      expect(contentOf((await store.find(book, idEquals(id)))!), what).toEqual(
        contentOf(itemOf(book, { id, author: id, genres: [id], title: id })),
      )
      expect(await matching(store, book, idIsAnyOf([id, 'none'])), what).toEqual([id])
      const compare = (name: string): Condition => ({
        kind: 'compare',
        path: toFieldPath(name),
        operator: 'equal',
        value: id,
      })
      for (const name of ['author', 'author.id', 'author.name', 'title']) {
        expect(await matching(store, book, compare(name)), `${name} ${what}`).toEqual([id])
      }
      const genres: Condition = {
        kind: 'members',
        path: toFieldPath('genres'),
        quantity: 'any',
        values: [id],
      }
      expect(await matching(store, book, genres), what).toEqual([id])
      const books: Condition = {
        kind: 'members',
        path: toFieldPath('books'),
        quantity: 'all',
        values: [id],
      }
      expect(await matching(store, author, books), what).toEqual([id])
      const {
        entries: [next],
      } = await store.page(book, planOf(always, [], { kind: 'after', position: [id], limit: 1 }))
      expect(next?.id, what).toBe(sorted[sorted.indexOf(id) + 1])
      expect(await store.write((work) => work.insert(book, itemOf(book, { id }))), what).toEqual({
        kind: 'exists',
      })
      expect(
        await store.write((work) =>
          work.replace(book, itemOf(book, { id, author: id, genres: [id], title: id })),
        ),
        what,
      ).toMatchObject({ kind: 'written' })
    }
    for (const [index, id] of ids.entries()) {
      await store.write((work) => work.remove(book, id))
      expect(await store.count(book, always), JSON.stringify(id)).toBe(ids.length - index - 1)
    }
  })

  suite.alone('knows fields whose names mean something to others', async (store) => {
    const full = {
      id: 'x-2',
      order: 'o',
      group: 7,
      select: 's',
      Name: 'upper',
      name: 'lower',
      text: 't',
      revision: 70,
      rowid: 700,
      'from-to': 'f',
      where: { and: 'w', "it's": 'q', 'a.b': 'd' },
      index: 'x-1',
      join: ['x-1', 'x-2'],
    }
    const other = { id: 'x-1', order: 'behind', Name: 'lower', name: 'upper', where: { and: 'q' } }
    await insertAll(store, [[odd, [full, other]]])
    expect(contentOf((await store.find(odd, idEquals('x-2')))!)).toEqual(
      contentOf(itemOf(odd, full)),
    )
    for (const [path, value] of names) {
      const what = path.join(' ')
      const compare = (operator: 'equal' | 'greaterThan'): Condition => ({
        kind: 'compare',
        path: { names: path },
        operator,
        value,
      })
      expect(await matching(store, odd, compare('equal')), what).toEqual(['x-2'])
      expect(
        await matching(store, odd, { kind: 'not', condition: compare('equal') }),
        what,
      ).toEqual(['x-1'])
      const plan = planOf(always, [{ path: { names: path }, direction: 'asc' }], {
        kind: 'offset',
        offset: 0,
        limit: 5,
      })
      const { entries: page } = await store.page(odd, plan)
      const own = page.find((entry) => entry.id === 'x-2')
      expect(own?.position, what).toEqual([value, 'x-2'])
      const after = {
        ...plan,
        pageRange: { kind: 'after', position: page[0]!.position, limit: 5 },
      } as const
      expect(
        (await store.page(odd, after)).entries.map((entry) => entry.id),
        what,
      ).toEqual([page[1]!.id])
    }
    const members = (name: string): Condition => ({
      kind: 'members',
      path: toFieldPath(name),
      quantity: 'any',
      values: ['x-2'],
    })
    expect(await matching(store, odd, members('join'))).toEqual(['x-2'])
    expect(await matching(store, odd, members('on'))).toEqual(['x-1'])
    await insert(store, odd, { id: 'x-3' })
    expect(await store.count(odd, always)).toBe(3)
  })
}
