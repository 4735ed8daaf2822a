// Writes docs/hooks.md, and the table of the guide, from the table of operations, so that they
// cannot say anything else.
import { readFileSync, writeFileSync } from 'node:fs'
import { operations, outcomeHooks } from '../dist/rule/operations.js'
import { guideWithHooks, hooksDocument } from './hooks-document.mjs'

const guide = 'docs/guide/middleware-and-hooks.md'

writeFileSync('docs/hooks.md', hooksDocument(operations))
writeFileSync(guide, guideWithHooks(readFileSync(guide, 'utf8'), operations, outcomeHooks))
