import { createServer, type Server, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../node-server.ts'
import { rawClient } from '../raw-client.testing.ts'
import { connectAs } from './forwarded-connection.ts'
import { isProof, newNonce, proofOf } from './forwarding-proof.ts'
import { get, workerTakeover } from './worker-takeover.testing.ts'

const nonce = newNonce()

it.each([
  ['nothing of a worker', [get('/'), '\n']],
  ['no proof', [`${nonce}\n`, '{"remoteAddress":"10.0.0.1"}\n']],
  ['a proof of its own', [`${nonce}\n`, `${'0'.repeat(64)} {"remoteAddress":"10.0.0.1"}\n`]],
  ['a line that is too long', ['x'.repeat(2_000), '\n']],
])('closes a connection to the port of a new worker that sends %s', async (_, lines) => {
  const { young, port } = await workerTakeover()
  const stranger = await rawClient(port)
  for (const line of lines) {
    stranger.send(line)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  await stranger.closed
  expect(stranger.unread()).not.toContain('accepted')
  expect(young.seen).toEqual([])
})

/** Another program that has the port of a new worker which has ended. */
async function thief(respond: (socket: Socket, line: string, port: number) => void) {
  const lines: string[] = []
  let port = 0
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      lines.push(chunk.toString())
      respond(socket, chunk.toString().trim(), port)
    })
  })
  port = (await listen(server, { host: '127.0.0.1', port: 0 }, () => {})).port
  onTestFinished(() => void server.close())
  return { port, lines }
}

it.each([
  ['accepts', 'accepted\n'],
  ['sends a proof of its own', `${nonce} ${'0'.repeat(64)}\n`],
  ['sends no nonce', `${'0'.repeat(64)}\n`],
])('tells nothing but a nonce to another program that %s', async (_, text) => {
  const { port, lines } = await thief((socket) => socket.write(text))
  expect(await connectAs({ remoteAddress: '10.0.0.1' } as Socket, port)).toBeUndefined()
  expect(lines).toEqual([expect.stringMatching(/^[0-9a-f]{64}\n$/)])
})

it('tells nothing to a program that passes on the proof of a new worker', async () => {
  const { young, port: real } = await workerTakeover()
  const { port, lines } = await thief(async (socket, line) => {
    const relayed = await rawClient(real)
    relayed.socket.on('data', (chunk) => socket.write(chunk))
    relayed.send(`${line}\n`)
  })
  expect(await connectAs({ remoteAddress: '10.0.0.1' } as Socket, port)).toBeUndefined()
  expect([lines.length, young.seen]).toEqual([1, []])
})

it('proves one side, one connection and one text', () => {
  const subject = { port: 81, oldNonce: nonce, newNonce: newNonce() }
  const proof = proofOf('old', subject, 'text')
  expect(isProof(proof, 'old', subject, 'text')).toBe(true)
  expect([
    isProof(proof, 'new', subject, 'text'),
    isProof(proof, 'old', { ...subject, port: 82 }, 'text'),
    isProof(proof, 'old', { ...subject, newNonce: nonce }, 'text'),
    isProof(proof, 'old', subject, 'other'),
    isProof(undefined, 'old', subject, 'text'),
  ]).toEqual([false, false, false, false, false])
})
