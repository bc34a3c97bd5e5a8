'use strict';

document.getElementById('app').textContent = JSON.parse(document.getElementById('about').textContent).file;
