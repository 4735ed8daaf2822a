// The baseline: a Node stream into a file, hashed with SHA-256, and out of it again. It validates
// nothing, knows one file, and stores a form as it arrives.

import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, mkdirSync } from 'node:fs'
import { open, rename, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { durability, HOST, PORT, serving } from '../harness/child.mjs'

const folder = process.env.DATA_DIR ?? '.'
const file = join(folder, 'file')
mkdirSync(folder, { recursive: true })

const server = createServer(async (req, res) => {
  if (req.method === 'POST') {
    const hash = createHash('sha256')
    const hashing = new Transform({
      transform(chunk, _, done) {
        hash.update(chunk)
        done(null, chunk)
      },
    })
    await pipeline(req, hashing, createWriteStream(`${file}.new`))
    if (durability === 'full') {
      const handle = await open(`${file}.new`, 'r+')
      await handle.sync()
      await handle.close()
    }
    await rename(`${file}.new`, file)
    res.end(hash.digest('hex'))
    return
  }
  const { size } = await stat(file)
  res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size })
  // A client may disconnect as soon as it has all bytes, before this pipeline ends; only the bytes
  // it received count.
  await pipeline(createReadStream(file), res).catch(() => res.destroy())
})

server.listen(PORT, HOST, () => {
  serving(/** @type {import('node:net').AddressInfo} */ (server.address()).port, () =>
    server.closeAllConnections(),
  )
})
