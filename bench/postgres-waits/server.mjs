// A service over PostgreSQL, as a process of its own.
//   node bench/postgres-waits/server.mjs <url of the database>

import { createRouter, model, toOne } from 'resourcery'
import { serve } from 'resourcery/node'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { watchTurns } from './loop-turns.mjs'

const Author = model('author', { name: z.string(), bio: z.string() })
const Book = model('book', { title: z.string(), text: z.string(), author: toOne('author') })

const store = postgres(process.argv[2] ?? '')
const router = createRouter({ policy: rest(), store, onError: () => {} })
router.prepare(Author)
router.prepare(Book)
const words = 'the quick brown fox jumps over a lazy dog '.repeat(20)
await router.load(
  Author,
  Array.from({ length: 250 }, (_, index) => ({ id: `a${index}`, name: `${index}`, bio: words })),
)
await router.load(
  Book,
  Array.from({ length: 5_000 }, (_, index) => ({
    id: `b${index}`,
    title: `${index}`,
    text: words,
    author: `a${index % 250}`,
  })),
)
const { port } = await serve(router, { host: '127.0.0.1', port: 0 })
const longestTurn = watchTurns()
process.on('message', () => process.send?.(longestTurn()))
process.send?.(port)
process.once('disconnect', () => process.exit(0))
