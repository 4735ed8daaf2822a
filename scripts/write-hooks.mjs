// Writes docs/hooks.md from the table of operations, so that it cannot say anything else.
import { writeFileSync } from 'node:fs'
import { operations } from '../dist/rule/operations.js'
import { hooksDocument } from './hooks-document.mjs'

writeFileSync('docs/hooks.md', hooksDocument(operations))
