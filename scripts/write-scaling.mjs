// Writes the part of docs/guide/scaling.md that is computed from the figures of the bench.
import { readFileSync, writeFileSync } from 'node:fs'
import { pageWithScaling } from './scaling/document.mjs'

const page = 'docs/guide/scaling.md'
const figures = JSON.parse(readFileSync('bench/figures/costs.json', 'utf8'))

writeFileSync(page, pageWithScaling(readFileSync(page, 'utf8'), figures))
