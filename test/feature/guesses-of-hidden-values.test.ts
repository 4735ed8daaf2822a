import {
  createRouter,
  field,
  file,
  model,
  type Policy,
  type Store,
  timestamps,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { as, Caller, token } from '../support/access-world.ts'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const jsonApiType = 'application/vnd.api+json'
const atomicType = `${jsonApiType};ext="https://jsonapi.org/ext/atomic"`

/** Who may set the fields that Bob does not see. */
const writers = ['those who see it', 'by what it is', 'by what it was', 'nobody', 'anyone'] as const
type Writer = (typeof writers)[number]

/** A service in which only Ann sees what `hidden` is. */
async function world(store: Store, policy: Policy, writer: Writer, hidden: string) {
  class Team extends model('team', {
    name: z.string(),
    fans: toMany('member', { inverse: 'likes' }),
    leads: toMany('member', { inverse: 'boss' }),
  }) {}
  const members = {
    person: z.string(),
    status: z.enum(['draft', 'done']).default('draft'),
    likes: toMany('team'),
    boss: toOne('team', { optional: true }),
    word: z.string().optional(),
    place: z.object({ room: z.string(), floor: z.int().optional() }).optional(),
    once: field(z.string().optional(), { immutable: true }),
    owner: z.string(),
    own: toOne('team', { optional: true }),
    scan: file({ types: ['text/plain'] }),
    ...timestamps(),
  }
  class Member extends model('member', members) {}
  class Final extends model(
    'final',
    { ...members, likes: toMany('team', { replace: false }) },
    { immutable: { where: { status: 'done' } } },
  ) {}
  const router = createRouter({
    policy,
    store,
    blobs: memoryBlobs(),
    security: { authentication: [token], callerSchema: Caller },
  })
  router.prepare(Team)
  for (const each of [Member, Final])
    router.prepare(each).access(({ item, before, caller, anyone, signedIn, nobody }) => {
      const read = item.person.equal(caller.id)
      const write = {
        'those who see it': read,
        'by what it is': item.status.equal('draft'),
        'by what it was': before.status.equal('draft'),
        nobody,
        anyone,
      }[writer]
      const guarded = { read, write }
      return {
        read: anyone,
        create: signedIn,
        update: signedIn,
        set: { owner: caller.id, own: caller.id },
        fields: {
          likes: guarded,
          boss: guarded,
          word: guarded,
          place: guarded,
          once: guarded,
          scan: guarded,
          owner: { read },
          own: { read },
        },
      }
    })
  await router.load(
    Team,
    ['t', 'k', 'z'].map((id) => ({ id, name: id })),
  )
  const item = {
    id: 'm',
    person: 'ann',
    status: 'done' as const,
    likes: [hidden],
    boss: hidden,
    word: hidden,
    once: hidden,
    owner: hidden,
    own: hidden,
    ...(hidden === 't' && { place: { room: 't', floor: 2 } }),
  }
  for (const each of [Member, Final]) {
    await router.load(each, [item])
    await router.loadResource(
      each,
      { id: 'm', path: 'scan' },
      { bytes: Buffer.from(hidden), contentType: 'text/plain' },
    )
  }
  return client(router, undefined, policy.name === 'json-api' ? jsonApiType : undefined)
}

type Guess = readonly [method: string, path: string, body: unknown, type?: string]

const plural = { member: 'members', final: 'finals' }
const relationTypes: Readonly<Record<string, string>> = {
  likes: 'teams',
  boss: 'teams',
  own: 'teams',
}

/** What fits only beside a member that a stored object has already, and what fits anyway. */
const partsOfObject = [{ floor: 1 }, { room: 't' }, { room: null }, { floor: null }, null]

/** What says `t` of a hidden member, by every address. */
function guesses(policy: Policy, name: keyof typeof plural): readonly Guess[] {
  const path = `/${plural[name]}/m`
  const set = { likes: ['t'], boss: 't', word: 't', once: 't', owner: 't', own: 't' }
  const uploads: Guess[] = [['POST', `${path}/scan`, 't', 'text/plain']]
  if (policy.name === 'rest')
    return [
      ...Object.entries(set).flatMap(([member, value]): Guess[] => [
        ['PATCH', path, { [name]: { [member]: value } }],
        ['PUT', path, { [name]: { person: 'ann', status: 'done', [member]: value } }],
      ]),
      ['PATCH', path, { [name]: { word: null } }],
      ...partsOfObject.map((place): Guess => ['PATCH', path, { [name]: { place } }]),
      ...(name === 'member'
        ? (['fans', 'leads'] as const).map(
            (inverse): Guess => ['PATCH', '/teams/t', { team: { [inverse]: ['m'] } }],
          )
        : []),
      ...uploads,
    ]
  const linkage = (value: unknown, type: string) =>
    Array.isArray(value) ? value.map((id) => ({ type, id })) : { type, id: value }
  const parts = partsOfObject.map((place) => ['place', place] as const)
  const bodies = [...Object.entries(set), ...parts].map(([member, value]) => ({
    type: plural[name],
    id: 'm',
    ...(relationTypes[member]
      ? { relationships: { [member]: { data: linkage(value, 'teams') } } }
      : { attributes: { [member]: value } }),
  }))
  const me = { data: [{ type: plural[name], id: 'm' }] }
  const team = { data: [{ type: 'teams', id: 't' }] }
  return [
    ...bodies.map((data): Guess => ['PATCH', path, { data }]),
    ...bodies.map(
      (data): Guess => [
        'POST',
        '/operations',
        { 'atomic:operations': [{ op: 'update', data }] },
        atomicType,
      ],
    ),
    ['PATCH', `${path}/relationships/boss`, { data: team.data[0] }],
    ['PATCH', `${path}/relationships/own`, { data: team.data[0] }],
    ['PATCH', `${path}/relationships/boss`, { data: null }],
    ...['PATCH', 'POST', 'DELETE'].map(
      (method): Guess => [method, `${path}/relationships/likes`, team],
    ),
    ...(name === 'member'
      ? ['fans', 'leads'].flatMap((inverse) =>
          ['PATCH', 'POST', 'DELETE'].map(
            (method): Guess => [method, `/teams/t/relationships/${inverse}`, me],
          ),
        )
      : []),
    ...uploads,
  ]
}

/** Times vary, but whether a write gave the item another one does not. */
function settled(text: string): string {
  const created = /"createdAt":"([^"]+)"/.exec(text)?.[1]
  const isChanged = !text.includes(`"updatedAt":"${created}"`)
  return text
    .replace(/"createdAt":"[^"]+"/, '"createdAt":""')
    .replace(/"updatedAt":"[^"]+"/, `"updatedAt":"${isChanged ? 'later' : 'the same'}"`)
}

describe.each(stores)('What a caller does not see ($name)', ({ make }) => {
  for (const makePolicy of [rest, jsonApi])
    for (const writer of writers)
      it(`cannot be guessed: ${makePolicy().name}, set by ${writer}`, async () => {
        const policy = makePolicy()
        // A write by anyone changes the item, so each guess meets a new service.
        const isFresh = writer === 'anyone'
        let [right, wrong] = [
          await world(await make(), policy, writer, 't'),
          await world(await make(), policy, writer, 'k'),
        ]
        for (const name of ['member', 'final'] as const)
          for (const [method, path, body, type] of guesses(policy, name)) {
            // The document has no write of what nobody sets, not even one that changes nothing.
            const changesNothing = method === 'DELETE' || JSON.stringify(body).includes('null')
            if (writer === 'nobody' && changesNothing) continue
            const headers = { ...as('bob'), ...(type !== undefined && { 'content-type': type }) }
            const one = await right.send(method, path, body, headers)
            const other = await wrong.send(method, path, body, headers)
            const said = `${method} ${path} ${JSON.stringify(body)}`
            expect(`${said} ${one.status} ${settled(one.text)}`).toBe(
              `${said} ${other.status} ${settled(other.text)}`,
            )
            expect(one.status).toBeLessThan(500)
            if (isFresh && one.status < 300)
              [right, wrong] = [
                await world(await make(), policy, writer, 't'),
                await world(await make(), policy, writer, 'k'),
              ]
          }
      })
})
