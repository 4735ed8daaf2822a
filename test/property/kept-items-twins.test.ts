import fc from 'fast-check'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { as } from '../support/access-world.ts'
import { type Client, type ClientResponse, client } from '../support/client.ts'
import { disposeTogether } from '../support/dispose-together.ts'
import { keptRouter, Page, Tag } from '../support/kept-world.ts'
import { stores } from '../support/stores.ts'

const ids = ['a', 'b', 'c', 'd'] as const
const id = fc.constantFrom(...ids)

/** What the owner of everything does. Values of hidden members differ from world to world. */
type Write =
  | { readonly kind: 'create' | 'update'; readonly id: string; readonly isDraft: boolean }
  | { readonly kind: 'delete' | 'restore' | 'purge' | 'upload'; readonly id: string }
  /** Changes hidden members alone, in one of the worlds. */
  | { readonly kind: 'mask' | 'hide'; readonly id: string }
  /** Restores a version by its place in the list of those who see less. */
  | { readonly kind: 'revert'; readonly id: string; readonly index: number }

const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('create'), id, isDraft: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('update'), id, isDraft: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('delete', 'restore', 'purge', 'upload'),
      id,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('revert'),
      id,
      index: fc.integer({ min: 0, max: 3 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('mask', 'hide'), id }) },
) as fc.Arbitrary<Write>

const policies = { rest, jsonApi }

describe.each(stores)('Versions and the trash ($name)', ({ make }) => {
  it('are the same to a caller, whatever hidden members and hidden items hold', async () => {
    let seen = 0
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom<keyof typeof policies>('rest', 'jsonApi'),
        fc.array(write, { minLength: 5, maxLength: 25 }),
        async (policy, writes) => {
          const worlds = await Promise.all([openWorld(policy, 'x'), openWorld(policy, 'y')])
          for (const [index, each] of writes.entries())
            for (const world of worlds) await world.write(each, index)
          const [one, other] = await Promise.all(worlds.map((world) => world.readAll()))
          expect(one).toEqual(other)
          seen += one!.filter(({ status }) => status === 200).length
          for (const { text } of one!) expect(text).not.toMatch(/hidden-|sekret/)
        },
      ),
      { numRuns: Math.ceil(Number(process.env.FUZZ_RUNS ?? 100) / 10) },
    )
    expect(seen).toBeGreaterThan(50)
  }, 180_000)

  async function openWorld(policy: keyof typeof policies, hidden: string) {
    let nowMs = Date.parse('2026-03-01T10:00:00Z')
    const router = keptRouter(await make(), {
      policy: policies[policy](),
      now: () => new Date(nowMs),
    })
    router.prepare(Tag)
    router.prepare(Page).access(({ item, caller, anyone, signedIn }) => ({
      read: item.status.equal('public').or(item.owner.equal(caller.id)),
      create: signedIn,
      update: item.owner.equal(caller.id).or(caller.roles.contains('editor')),
      delete: signedIn,
      readVersions: anyone,
      fields: {
        remark: { read: item.owner.equal(caller.id) },
        photo: { read: item.owner.equal(caller.id) },
      },
    }))
    const service = client(router)
    const owner = as('ann')
    // Nobody else sees them, neither where they come first nor where they come last.
    if (hidden === 'y')
      for (const each of ['0', 'z'])
        for (const status of ['draft', 'deleted'])
          if (status === 'deleted') await service.delete(`/pages/${each}`, owner)
          else {
            const values = { title: 'hidden-item', status, owner: 'ann' }
            await send(service, policy, 'POST', '/pages', { id: each, ...values }, owner)
          }
    return {
      async write(each: Write, index: number) {
        nowMs += 1_000
        const path = `/pages/${each.id}`
        const restore = `/pages/trash/${each.id}/restore`
        switch (each.kind) {
          case 'create':
          case 'update': {
            const values = {
              title: each.isDraft ? `hidden-${hidden}-${index}` : `Title ${index}`,
              status: each.isDraft ? 'draft' : 'public',
              remark: `hidden-${hidden}-${index}`,
              owner: 'ann',
            }
            if (each.kind === 'create')
              await send(service, policy, 'POST', '/pages', { id: each.id, ...values }, owner)
            else await send(service, policy, 'PATCH', path, { id: each.id, ...values }, owner)
            return
          }
          case 'delete':
            return void (await service.delete(path, owner))
          case 'restore':
            return void (await service.post(restore, undefined, owner))
          case 'purge':
            return void (await service.delete(`/pages/trash/${each.id}`, owner))
          case 'upload':
            return void (await service.post(`${path}/photo`, `hidden-${hidden}`, {
              ...owner,
              'content-type': 'text/plain',
            }))
          case 'revert': {
            const numbers = await readPages(service, `${path}/versions`, as('bob'), () => {})
            const number = numbers[each.index]
            if (number === undefined) return
            const restored = await service.post(
              `${path}/versions/${number}/restore`,
              undefined,
              owner,
            )
            return void expect(restored.status).toBe(200)
          }
          case 'mask': {
            if (hidden === 'x') return
            const values = { remark: `hidden-${hidden}-${index}` }
            await send(service, policy, 'PATCH', path, { id: each.id, ...values }, owner)
            return
          }
          case 'hide':
            if (hidden === 'x') return
            if ((await service.get(path, owner)).status !== 200) return
            await router.items(Page).update(each.id, { secret: `sekret-${index}` })
            return
        }
      },
      async readAll() {
        const answers: { path: string; status: number; text: string }[] = []
        const note = (path: string, response: ClientResponse) =>
          answers.push({ path, status: response.status, text: comparable(response.text) })
        for (const caller of [as('bob'), as(), as('ed:editor')]) {
          for (const each of ids) {
            const versions = `/pages/${each}/versions`
            const numbers = await readPages(service, `${versions}?page[size]=2`, caller, note)
            for (const [index, number] of numbers.entries())
              note(`${versions} ${index}`, await service.get(`${versions}/${number}`, caller))
            const others = [1, 2, 3, 4, 5, 6, 7, 8].filter((number) => !numbers.includes(number))
            for (const number of others.slice(0, 3)) {
              const path = `${versions}/${number}`
              expect((await service.get(path, caller)).status).toBe(404)
              const restored = await service.post(`${path}/restore`, undefined, caller)
              expect(restored.status).toBeGreaterThanOrEqual(401)
              expect(restored.status).toBeLessThanOrEqual(404)
            }
          }
          await readPages(service, '/pages/trash?page[size]=1', caller, note)
          for (const each of ids) {
            const versions = `/pages/${each}/versions`
            const [last] = (await readPages(service, versions, caller, () => {})).slice(-1)
            const path = `${versions}/${last ?? 1}/restore`
            note(`${versions} last`, await service.post(path, undefined, caller))
            const purge = `/pages/trash/${each}`
            note(purge, await service.get(purge, caller))
            note(purge, await service.delete(purge, caller))
            const restore = `/pages/trash/${each}/restore`
            note(restore, await service.post(restore, undefined, caller))
          }
        }
        await disposeTogether(() => router.close())
        return answers
      },
    }
  }
})

async function readPages(
  service: Client,
  first: string,
  caller: Record<string, string>,
  note: (path: string, response: ClientResponse) => void,
): Promise<readonly number[]> {
  const numbers: number[] = []
  let path: string | null = first
  for (let page = 0; path !== null && page < 20; page++) {
    const response: ClientResponse = await service.get(path, caller)
    note(`${first} ${page}`, response)
    const versions = (response.at('/versions') ?? response.at('/meta/versions') ?? []) as {
      number: number
    }[]
    numbers.push(...versions.map(({ number }) => number))
    path = ((response.at('/next') ?? response.at('/meta/next')) as string | null) ?? null
  }
  return numbers
}

/**
 * Without versions, which are random, cursors, which are encrypted anew each time, and the numbers
 * of versions, which count hidden ones.
 */
function comparable(text: string): string {
  return text
    .replaceAll(/"(?:hash|version)":"[^"]*"/g, '')
    .replaceAll(/page%5Bafter%5D=[^"]*/g, '')
    .replaceAll(/"number":\d+|versions\/\d+|version '\d+'/g, '')
}

function send(
  service: Client,
  policy: keyof typeof policies,
  method: string,
  path: string,
  { id: itemId, ...values }: Readonly<Record<string, unknown>> & { readonly id: string },
  headers: Record<string, string>,
): Promise<ClientResponse> {
  if (policy === 'rest')
    return service.send(
      method,
      path,
      { page: method === 'POST' ? { id: itemId, ...values } : values },
      headers,
    )
  const data = { type: 'pages', id: itemId, attributes: values }
  return service.send(
    method,
    path,
    { data },
    {
      ...headers,
      'content-type': 'application/vnd.api+json',
    },
  )
}
