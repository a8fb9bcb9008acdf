import { render } from 'preact';
import { Lab } from './lab.js';
import { LabPage } from './lab-page.js';

render(<LabPage lab={new Lab(() => performance.now())} />, document.getElementById('app')!);
