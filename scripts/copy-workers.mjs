// Workers are plain JavaScript, so that they also run unbuilt; the compiler leaves them out of dist.
import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' })) {
  if (file.endsWith('-worker.js')) cpSync(join('src', file), join('dist', file))
}
