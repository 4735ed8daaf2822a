import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { received } from '../faulty-service.testing.ts'
import type { CheckedCaller } from './checked-caller.ts'
import { leakyDocument } from './leaky-document.testing.ts'

/** How the service tells callers of what it hides from them. */
export type Leak =
  | 'none'
  | 'in lists'
  | 'in linkage'
  | 'in links'
  | 'in counts'
  | 'by 403'
  | 'below the item'
  | 'by 304'
  | 'by 412'
  | 'by 412 of writes'
  | 'by writes'
  | 'by validation first'
  | 'by HEAD'
  | 'in a header'
  | 'in the message'
  | 'by the filter of ids'
  | 'by the filter of a relation'
  | 'by the filter of a field for admins'
  | 'by the sort of a field for admins'
  | 'by the filter of a field of the owner'
  | 'by the sort of a field of the owner'
  | 'by links to the item'
  | 'by the tag'
  | 'a member for admins'

interface Note {
  readonly id: string
  readonly owner: string
  readonly isPublic: boolean
  title: string
  readonly secret: string
  readonly score: number
}

const note = (
  id: string,
  owner: string,
  isPublic: boolean,
  secret: string,
  score: number,
): Note => ({
  id,
  owner,
  isPublic,
  title: `Note ${id}`,
  secret,
  score,
})

export const callers: readonly CheckedCaller[] = [
  { name: 'admin', headers: { authorization: 'Bearer token-of-admin' } },
  { name: 'ada', headers: { 'x-key': 'key-of-ada' } },
  { name: 'anonymous', headers: {} },
]

/** Starts the service until the end of the test. */
export async function startLeakyService(leak: Leak) {
  const server = createServer(service(leak))
  onTestFinished(() => {
    server.close().closeAllConnections()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const base = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const documents = callers.map((caller) => ({
    caller,
    document: leakyDocument(caller.name === 'admin'),
  }))
  return { base, documents }
}

/** Notes are for all, or for their owner and admins. The score is for admins. */
function service(leak: Leak) {
  const notes = [
    note('n1', 'ada', true, 'gold', 3),
    note('n2', 'ada', false, 'silver', 1),
    note('n3', 'bob', true, 'ash', 2),
    note('n4', 'bob', false, 'iron', 9),
    note('n5', 'bob', true, 'moss', 5),
  ]
  const comments = notes.map(({ id }, index) => ({ id: `c${index}`, note: id }))

  return async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', headers } = request
    const isAdmin = headers.authorization === 'Bearer token-of-admin'
    const caller = isAdmin ? 'admin' : headers['x-key'] === 'key-of-ada' ? 'ada' : undefined
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const [, plural, id, below] = pathname.split('/')
    const sees = (item: Note) => item.isPublic || isAdmin || item.owner === caller
    const ownsSecret = (item: Note) => item.owner === caller || isAdmin
    const shown = (item: Note) => ({
      id: item.id,
      title: item.title,
      ...(ownsSecret(item) && { secret: item.secret }),
      ...((isAdmin || leak === 'a member for admins') && { score: item.score }),
    })
    const tagOf = (item: Note) => {
      const content = leak === 'by the tag' ? item : shown(item)
      return `"${Buffer.from(JSON.stringify(content)).toString('base64url')}"`
    }
    const respond = (status: number, body?: object, extra: Record<string, string> = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...extra })
      response.end(body && method !== 'HEAD' ? JSON.stringify(body) : undefined)
    }
    const problem = (status: number, title = 'No.', extra = {}) => respond(status, { title }, extra)
    const body = await received(request)
    if (!body) return response.destroy()

    if (plural === 'comments') {
      const visible = comments.filter(
        (each) => leak === 'in linkage' || sees(notes.find((item) => item.id === each.note)!),
      )
      if (method === 'POST') {
        const item = notes.find((each) => each.id === readNote(body))
        if (item && (sees(item) || leak === 'by links to the item'))
          return respond(201, { comment: { id: 'c9', note: item.id } })
        return problem(422)
      }
      if (id !== undefined) {
        const comment = visible.find((each) => each.id === id)
        return comment ? respond(200, { comment }) : problem(404)
      }
      const filter = searchParams.get('filter[note]')
      const tells =
        leak === 'by the filter of a relation' && notes.some((item) => item.id === filter)
      return respond(200, {
        comments: visible.filter((each) => filter === null || each.note === filter),
        ...(tells && { related: 'one note' }),
      })
    }
    if (plural !== 'notes') return problem(404)

    if (id === undefined) {
      const visible = leak === 'in lists' ? [...notes] : notes.filter(sees)
      let list: Note[] = visible
      for (const [parameter, value] of searchParams) {
        const field = /^filter\[(\w+)\]$/.exec(parameter)?.[1]
        if (field === 'id') {
          const all = leak === 'by the filter of ids' ? notes : list
          list = all.filter((item) => item.id === value)
        } else if (field === 'score') {
          if (!isAdmin && leak !== 'by the filter of a field for admins') return problem(400)
          list = list.filter((item) => String(item.score) === value)
        } else if (field === 'secret') {
          const knows = (item: Note) =>
            ownsSecret(item) || leak === 'by the filter of a field of the owner'
          list = list.filter((item) => knows(item) && item.secret === value)
        } else if (field === 'title') list = list.filter((item) => item.title === value)
        else if (parameter === 'sort') {
          const [key = ''] = value.split(',')
          const name = key.replace('-', '')
          if (name === 'score' && !isAdmin && leak !== 'by the sort of a field for admins')
            return problem(400)
          const keyOf = (item: Note) =>
            name === 'secret' && !ownsSecret(item) && leak !== 'by the sort of a field of the owner'
              ? ''
              : String(item[name as keyof Note])
          const sign = key.startsWith('-') ? -1 : 1
          list = list.toSorted((one, other) => sign * keyOf(one).localeCompare(keyOf(other)))
        } else if (parameter !== 'withCount') return problem(400)
      }
      const hidden = notes.find((item) => !sees(item))
      return respond(200, {
        notes: list.map(shown),
        ...(searchParams.has('withCount') && {
          total: leak === 'in counts' ? notes.length : list.length,
        }),
        ...(leak === 'in links' && hidden && { next: `/notes/${hidden.id}` }),
      })
    }

    const item = notes.find((each) => each.id === id)
    if (leak === 'by validation first' && item && method === 'PATCH' && !readTitle(body))
      return problem(422)
    const knows = item !== undefined && sees(item)
    if (!knows) {
      if (item && leak === 'by 403') return problem(403)
      if (item && leak === 'by writes' && method === 'PATCH') return problem(403)
      if (item && leak === 'below the item' && below) return respond(200, { changes: 1 })
      if (item && leak === 'by 304' && headers['if-none-match'] === '*') return respond(304)
      if (item && leak === 'by 412' && headers['if-none-match']) return problem(412)
      if (item && leak === 'by 412 of writes' && headers['if-match']) return problem(412)
      if (item && leak === 'by HEAD' && method === 'HEAD') return respond(200)
      if (item && leak === 'in a header') return problem(404, 'No.', { etag: tagOf(item) })
      if (item && leak === 'in the message') return problem(404, 'You may not see it.')
      return problem(404)
    }
    if (below) return respond(200, { changes: 1 })
    if (method === 'PATCH') {
      if (!caller || item.owner !== caller) return problem(403)
      const title = readTitle(body)
      if (title === undefined) return problem(422)
      item.title = title
    }
    const tag = tagOf(item)
    if (headers['if-none-match'] === tag) return respond(304, undefined, { etag: tag })
    respond(200, { note: shown(item) }, { etag: tag })
  }
}

function readTitle(chunks: readonly Buffer[]): string | undefined {
  try {
    const sent = JSON.parse(Buffer.concat(chunks).toString())
    const { title = 'Untitled' } = sent
    return !Array.isArray(sent) && typeof title === 'string' && title !== '' ? title : undefined
  } catch {
    return undefined
  }
}

function readNote(chunks: readonly Buffer[]): unknown {
  try {
    return JSON.parse(Buffer.concat(chunks).toString()).note
  } catch {
    return undefined
  }
}
