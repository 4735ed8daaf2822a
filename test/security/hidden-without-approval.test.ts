import type { Policy, Router, Store } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { beforeAll, describe, expect, test } from 'vitest'
import { get } from '../http/service.ts'
import {
  absent,
  forms,
  hiddenNames,
  itemPlaces,
  places,
  secret,
  worldOf,
  wrongGuess,
} from './hidden-world.ts'

/** The store, with a log of every call of any method. */
function recorded(store: Store): { readonly store: Store; readonly calls: string[] } {
  const calls: string[] = []
  const recording = <T extends object>(of: T, prefix: string): T =>
    new Proxy(of, {
      get(target, name, receiver) {
        const member: unknown = Reflect.get(target, name, receiver)
        if (typeof member !== 'function') return member
        return (...parameters: unknown[]) => {
          calls.push(prefix + String(name))
          return Reflect.apply(member, target, parameters)
        }
      },
    })
  const texts = {
    page: async () => undefined,
    list: () => undefined,
  }
  return { store: recording({ ...store, texts: recording(texts, 'texts.') }, ''), calls }
}

const policies: readonly (readonly [string, () => Policy])[] = [
  ['plain REST', () => rest()],
  ['JSON:API', () => jsonApi()],
]

/**
 * Timing reveals neither a right guess nor a hidden member, because the request is refused before
 * anything depends on stored data.
 */
describe.each(policies)(
  '3.2: the store is not queried for hidden members, under %s',
  (_, policy) => {
    let router: Router
    let calls: string[]

    beforeAll(async () => {
      const watched = recorded(memory())
      calls = watched.calls
      router = await worldOf(watched.store, { value: secret, ghost: 'Ghost' }, {}, policy())
    })

    const askedBy = async (target: string) => {
      calls.length = 0
      const { status } = await get(router, target)
      return { status, asked: [...calls] }
    }

    test('while it is for visible ones', async () => {
      const list = await askedBy('/api/works?filter[title]=One&page[size]=5')
      expect(list).toMatchObject({ status: 200, asked: expect.arrayContaining(['page']) })
      expect(await askedBy('/api/works/k1')).toMatchObject({
        status: 200,
        asked: expect.arrayContaining(['find']),
      })
      expect((await askedBy('/api/notes?page[size]=5')).asked).toContain('page')
      expect((await askedBy('/api/works?filter[title]=One&withCount=true')).asked).toContain(
        'count',
      )
    })

    test.each(Object.entries(forms))(
      'spelled as %s, in every parameter, whatever the guess',
      async (_, form) => {
        for (const name of [...hiddenNames, absent]) {
          for (const guess of [secret, wrongGuess]) {
            const targets = [
              ...places(form(name), guess).map((query) => `/api/works?${query}`),
              ...itemPlaces(form(name)).map((query) => `/api/works/k1?${query}`),
            ]
            for (const target of targets) {
              const actualCalls = await askedBy(target)
              if (actualCalls.asked.length > 0 || actualCalls.status !== 400)
                expect([target, actualCalls]).toEqual([target, { status: 400, asked: [] }])
            }
          }
        }
      },
    )
  },
)
