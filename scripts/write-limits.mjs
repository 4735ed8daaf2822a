// Writes docs/limits.md from the limits in the code, so that it cannot say anything else.
import { writeFileSync } from 'node:fs'
import { limitsDocument } from './limits-document.mjs'

writeFileSync('docs/limits.md', await limitsDocument((path) => import(`../dist/${path}.js`)))
