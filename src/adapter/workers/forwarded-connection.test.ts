import { expect, it } from 'vitest'
import { rawClient } from '../raw-client.testing.ts'
import { succession } from './succession.testing.ts'

it.each([
  ['nothing of a worker', 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ['another secret', '{"secret":"x","remoteAddress":"10.0.0.1"}\n'],
  ['no secret', '{}\n'],
  ['a line that is too long', 'x'.repeat(2_000)],
])('closes a connection to the port of a new worker that sends %s', async (_, text) => {
  const { young, port } = await succession()
  const stranger = await rawClient(port)
  stranger.send(text)
  stranger.send('\n')
  await stranger.closed
  expect([stranger.unread(), young.seen]).toEqual(['', []])
})
