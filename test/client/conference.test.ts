import { type Change, type Client, ClientError, createClient } from 'resourcery/client'
import type { Server } from 'resourcery/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as plain from './generated/conference.ts'
import * as jsonApi from './generated/conference-json-api.ts'
import { startConference } from './services.ts'

let server: Server
let token: (id: string) => Promise<string>
beforeAll(async () => {
  ;({ server, token } = await startConference())
})
afterAll(() => server.close())

type Conference = Client<plain.Api>

function clientOf(policy: string, person?: string, given: typeof fetch = fetch): Conference {
  const options = { fetch: given, ...(person && { token: () => token(person) }) }
  return policy === 'rest'
    ? createClient(plain.manifest, { url: `${server.address}/api`, ...options })
    : createClient(jsonApi.manifest as unknown as typeof plain.manifest, {
        url: `${server.address}/json-api`,
        ...options,
      })
}

describe.each(['rest', 'json-api'])('A client of the conference under %s', (policy) => {
  test('signs in by its token, and is refused without one', async () => {
    const visitor = clientOf(policy)
    const error: unknown = await visitor.talks.create({ title: 'A talk' }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ClientError)
    expect((error as ClientError).has('unauthorized')).toBe(true)
    const ada = clientOf(policy, 'ada')
    const talk = await ada.talks.create({ title: `A talk under ${policy}` })
    expect([talk.speaker, talk.status]).toEqual(['ada', 'draft'])
    const submitted = await ada.talks.actions.submit(talk)
    expect(submitted.status).toBe('submitted')
    await expect(ada.talks.actions.reject(talk)).rejects.toMatchObject({ status: 403 })
  })

  test('has null for a related item that the caller may not see', async () => {
    const organizer = clientOf(policy, 'olga')
    const { items } = await organizer.sessions.list({ include: ['talk'] })
    expect(items[0]!.talk!.id).toBe('looms')
    const visitor = clientOf(policy)
    const seen = await visitor.sessions.list({ include: ['talk'] })
    expect(seen.items[0]!.talk).toBeNull()
  })

  test('follows a list, with what enters it, changes and leaves it', async () => {
    const organizer = clientOf(policy, 'olga')
    const following = clientOf(policy).rooms.follow({ filter: { name: { startsWith: 'Lab' } } })
    expect((await following.next()).value).toEqual({ items: [], changes: [] })
    const room = await organizer.rooms.create({ name: `Lab ${policy}` })
    expect((await following.next()).value).toMatchObject({
      items: [{ id: room.id }],
      changes: [{ kind: 'create', id: room.id }],
    })
    await organizer.rooms.update(room, { name: `Lab 2 ${policy}` })
    expect((await following.next()).value).toMatchObject({ items: [{ name: `Lab 2 ${policy}` }] })
    await organizer.rooms.update(room.id, { name: `Hall ${policy}` })
    expect((await following.next()).value).toMatchObject({
      items: [],
      changes: [{ kind: 'delete', id: room.id }],
    })
    await following.return(undefined)
  })

  test('misses nothing where connections are lost, and no change comes twice', async () => {
    const organizer = clientOf(policy, 'olga')
    let lostConnections = 0
    // Each connection breaks after its first bytes with a change, or before them.
    const flaky: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (!response.headers.get('content-type')!.startsWith('text/event-stream')) return response
      let left = lostConnections % 2 === 0 ? 1 : 3
      const cut = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          controller.enqueue(chunk)
          if (--left > 0) return
          lostConnections++
          controller.error(new TypeError('terminated'))
        },
      })
      return new Response(response.body!.pipeThrough(cut), response)
    }
    const prefix = `Room of ${policy} `
    const controller = new AbortController()
    const seen: Change<plain.Room>[] = []
    const names: string[] = []
    let isWriting = true
    const following = clientOf(policy, undefined, flaky).rooms.follow({
      filter: { name: { startsWith: prefix } },
      signal: controller.signal,
    })
    await following.next()
    const writing = (async () => {
      while (lostConnections < 3) {
        const name = prefix + names.length
        names.push(name)
        await organizer.rooms.create({ name })
        await new Promise((resolve) => setTimeout(resolve, 200))
      }
      isWriting = false
      names.push(`${prefix}last`)
      await organizer.rooms.create({ name: `${prefix}last` })
    })()
    for await (const { items, changes } of following) {
      seen.push(...changes)
      if (!isWriting && items.length === names.length) break
    }
    await writing
    expect(seen.map((change) => (change.kind === 'create' ? change.item.name : change))).toEqual(
      names,
    )
  }, 60_000)

  test('reads the list again where the service does not know its position', async () => {
    let connections = 0
    const forgetful: typeof fetch = (input, init) => {
      const url = String(input).replace(/since=[^&]+/, (since) =>
        connections++ === 0 ? 'since=unknown' : since,
      )
      return fetch(url, init)
    }
    const organizer = clientOf(policy, 'olga')
    const following = clientOf(policy, undefined, forgetful).rooms.follow()
    const first = (await following.next()).value!
    const second = (await following.next()).value!
    expect(second).toEqual({ items: first.items, changes: [] })
    const { id } = await organizer.rooms.create({ name: `After ${policy}` })
    expect((await following.next()).value!.changes).toMatchObject([{ kind: 'create', id }])
    await following.return(undefined)
  })

  test('ends following where the list is refused, and where the signal is aborted', async () => {
    await expect(clientOf(policy).apiKeys.follow().next()).rejects.toBeInstanceOf(ClientError)
    const controller = new AbortController()
    const following = clientOf(policy).rooms.follow({ signal: controller.signal })
    await following.next()
    const next = following.next()
    controller.abort(new Error('Left'))
    await expect(next).rejects.toThrow('Left')
  })
})
